using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Layout;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>
/// Words that somebody made up, with checks that are right: whoever opens the pile, for reading or for writing, reads what was written,
/// finds nothing, or gets an exception of the pile. No word of a file is followed out of it.
/// </summary>
public sealed class ForgedFileTests : IDisposable
{
    private const string Segment = "segment-000000";

    private readonly ITestOutputHelper _output;
    private readonly ScratchDirectory _scratch = new();
    private readonly List<PilePointer> _pointers = [];
    private readonly Dictionary<string, byte[]> _files;
    private int _read;
    private int _refused;
    private int _unopened;

    public ForgedFileTests(ITestOutputHelper output)
    {
        _output = output;
        Fill();
        _files = Directory.GetFiles(PilePath).ToDictionary(static path => Path.GetFileName(path), File.ReadAllBytes);
        foreach (string missing in new[] { "log-0", "log-1" })
            _files.TryAdd(missing, new byte[4096]);
    }

    private string PilePath => _scratch.At("pile");

    private string ForgedPath => _scratch.At("forged");

    public void Dispose() => _scratch.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void No_forged_word_is_followed(bool readOnly)
    {
        int seed = TestLeg.Seed(readOnly ? 51 : 52);
        _output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        WriteAll();
        for (int step = 0; step < TestLeg.Steps(30, 30_000); step++)
        {
            (string file, long place, byte[] bytes) = Forgery.Make(random, _files, _pointers);
            Write(file, place, bytes);
            string what = $"seed {seed}, step {step}: {bytes.Length} bytes at {place} of {file}";
            try
            {
                Use(readOnly);
            }
            catch (Exception e) when (e is not PileException)
            {
                Assert.Fail($"{what}: {e}");
            }
            if (readOnly)
                Write(file, place, _files[file].AsSpan((int)place, bytes.Length));
            else
                WriteAll();
        }
        _output.WriteLine($"read {_read:N0}, refused {_refused:N0}, not opened {_unopened:N0}");
        Assert.True(_read > _refused);
    }

    /// <summary>The case that took the process down: a run that ends beyond the segment's end.</summary>
    [Fact]
    public void A_run_that_ends_beyond_its_segment_is_no_run()
    {
        WriteAll();
        PilePointer pointer = _pointers[^1];
        int page = (int)(pointer.Address * 8 / 65_536);
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(_files[Segment].AsSpan(64 + page * 8));
        Write(Segment, 64 + page * 8, Forgery.PageWord(254, 0xFFFF, (uint)(word >> 32) & 0xFFFFFF));
        Write(Segment, (long)pointer.Address * 8, BitConverter.GetBytes(
            new BlockHeader(BlockKind.Bytes, pointer.Generation, 1_000_000_000).Word));
        using Pile reader = Pile.Open(ForgedPath, new PileOptions { ReadOnly = true });
        Assert.False(reader.Contains(pointer));
        Assert.False(reader.Verify().IsSound);
        Assert.False(Pile.VerifyDirectory(ForgedPath).IsSound);
    }

    private void Use(bool readOnly)
    {
        Pile pile;
        try
        {
            pile = Pile.Open(ForgedPath, new PileOptions { ReadOnly = readOnly, WriterTimeout = TimeSpan.FromMilliseconds(1) });
        }
        catch (PileException)
        {
            _unopened++;
            return;
        }
        using (pile)
        {
            foreach (PilePointer pointer in _pointers)
                Count(() => pile.TryGet(pointer, out _));
            Count(() => pile.Count() != 0);
            Count(() => pile.Verify().BlockCount != 0);
        }
    }

    private void Count(Func<bool> use)
    {
        try
        {
            _read += use() ? 1 : 0;
        }
        catch (PileException)
        {
            _refused++;
        }
    }

    private void WriteAll()
    {
        if (Directory.Exists(ForgedPath))
            Directory.Delete(ForgedPath, recursive: true);
        Directory.CreateDirectory(ForgedPath);
        foreach ((string name, byte[] bytes) in _files)
            File.WriteAllBytes(Path.Combine(ForgedPath, name), bytes);
    }

    private void Write(string file, long place, ReadOnlySpan<byte> bytes)
    {
        using var stream = new FileStream(Path.Combine(ForgedPath, file), FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        stream.Position = place;
        stream.Write(bytes);
    }

    private void Fill()
    {
        using Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 });
        for (int i = 0; i < 120; i++)
            _pointers.Add(pile.Put(new byte[i % 12 * 150]));
        for (int i = 0; i < 40; i++)
            pile.Replace(_pointers[i], new byte[3_000 + i % 4 * 500]); // links
        _pointers.Add(pile.Put(new List<int> { 1, 2, 3 }));
        _pointers.Add(pile.Put("text"));
        _pointers.Add(pile.Put(new byte[300_000]));
        _pointers.Add(pile.Put(new byte[40_000])); // the last page in use
        Assert.Equal(1, pile.Statistics.SegmentCount);
    }
}
