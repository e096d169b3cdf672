using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Files;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Invariants;

/// <summary>Extents are allocated and freed at random, and wait between, beside a list of them.</summary>
public sealed class ExtentModelTests(ITestOutputHelper output) : IDisposable
{
    private const long MostUsedBytes = 2 << 20;

    private readonly TemporaryDirectory _directory = new();
    private readonly FailingOperations _hook = new();
    private readonly List<Extent> _used = [];
    private Random _random = new(0);
    private RecordFile _file = null!;
    private long _sequence;

    public void Dispose()
    {
        _file?.File.Dispose();
        _directory.Dispose();
    }

    /// <summary>Small files are full all the time, so that larger extents are split.</summary>
    [Theory]
    [InlineData(8, 64 << 20)]
    [InlineData(64, 64 << 20)]
    [InlineData(4096, 64 << 20)]
    [InlineData(8, 128 << 10)]
    [InlineData(512, 512 << 10)]
    public void Each_byte_is_in_one_extent(int alignment, long maxBytes)
    {
        Open(alignment, maxBytes, 80);
        long usedBytes = 0;
        int full = 0;
        for (int step = 0; step < TestLeg.Steps(1_000, 200_000); step++)
        {
            if (_used.Count > 0 && (usedBytes > MostUsedBytes || _random.Next(5) < 2))
            {
                Extent freed = Draw();
                _file.MarkDead(freed);
                _file.Extents.Free(_random.Next(SeqLockStripes.Count), freed);
                usedBytes -= freed.Bytes;
            }
            else
            {
                Extent? extent = TryAllocate();
                full += extent == null ? 1 : 0;
                usedBytes += extent?.Bytes ?? 0;
            }
            _file.Extents.CheckInvariants(_used, 0);
        }
        output.WriteLine($"{_used.Count} in use, {_file.Extents.End} bytes, {full} times full");
        Assert.Equal(maxBytes < MostUsedBytes, full > 0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_waits_is_counted_and_kept(bool isReused)
    {
        Open(8, 64 << 20, 81);
        var pending = new PendingFrees(_file, isReused);
        long synced = 0;
        for (int step = 0; step < TestLeg.Steps(1_000, 200_000); step++)
        {
            Act(pending, ref synced);
            _hook.Disarm();
            List<Extent> used = [.. _used];
            pending.CheckInvariants(synced, used);
            _file.Extents.CheckInvariants(used, pending.DroppedBytes);
        }
        pending.RetryMarks();
        for (int i = 0; i < 2; i++)
        {
            pending.Cut();
            pending.Complete();
        }
        Assert.False(pending.HasAny);
        output.WriteLine($"{_used.Count} in use, {_file.Extents.End} bytes");
    }

    // A third of the marks fail.
    private void Act(PendingFrees pending, ref long synced)
    {
        int stripe = _random.Next(SeqLockStripes.Count);
        if (_random.Next(3) == 0)
            _hook.Arm(1, isHalfDone: false);
        switch (_random.Next(12))
        {
            case 0:
                synced = _sequence;
                pending.Cut();
                break;
            case 1:
                pending.Complete();
                break;
            case 2:
                _ = Record.Exception(pending.RetryMarks) is not (null or IOException) ? throw new InvalidOperationException() : 0;
                break;
            case < 5 when _used.Count > 0:
                pending.MarkDeadAndFree(stripe, Draw());
                break;
            case < 7 when _used.Count > 0:
                Extent record = Draw();
                synced = _sequence;
                pending.DeferRecord(stripe, record);
                break;
            case 7:
                _hook.Disarm();
                Extent tombstone = Assert.IsType<Extent>(TryAllocate(ExtentKind.Tombstone));
                _used.Remove(tombstone);
                pending.DeferTombstone(stripe, tombstone);
                break;
            default:
                _hook.Disarm();
                TryAllocate();
                break;
        }
    }

    private void Open(int alignment, long maxBytes, int seed)
    {
        seed = TestLeg.Seed(seed);
        output.WriteLine($"seed {seed}");
        _random = new Random(seed);
        var layout = new FileLayout(FileLayout.Newest, OffsetWidth: 8, alignment, Buckets: 256, Salt: 1, Seed: 2);
        IBlockFile file = BlockFile.Open(
            BlockFileKind.PositionalParallel, Path.Combine(_directory.Path, "file"),
            new BlockFileOptions { MaxSize = maxBytes, InitialSize = 0, GrowthFactor = 1, Hook = _hook });
        file.Expand(layout.AreaStart);
        _file = new RecordFile(file, layout);
    }

    private Extent Draw()
    {
        int index = _random.Next(_used.Count);
        Extent extent = _used[index];
        _used.RemoveAt(index);
        return extent;
    }

    private Extent? TryAllocate(ExtentKind kind = ExtentKind.Live)
    {
        int bytes = _random.Next(40) == 0 ? _random.Next(300_000) : Some.Length(_random);
        Extent extent;
        try
        {
            extent = _file.Extents.Allocate(_random.Next(SeqLockStripes.Count), RecordHead.Bytes + bytes);
        }
        catch (BlockFileFullException)
        {
            return null;
        }
        FileLayout layout = _file.Layout;
        ExtentWord word = ExtentWord.Of(extent.Bytes >> layout.AlignmentShift, kind, extent.Offset, layout.Salt);
        _file.WriteRecord(extent.Offset, word, 0, ++_sequence, default, Some.Bytes(bytes, kind == ExtentKind.Live ? bytes : 0));
        _used.Add(extent);
        return extent;
    }
}
