using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A disk without room keeps nobody from flushing, from deleting what fills it, and from going on.</summary>
public sealed class FullDiskTests(ITestOutputHelper output) : IDisposable
{
    private const int Megabyte = 1 << 20;
    private const int LengthBytes = 220_000;
    private const int SmallSegmentBytes = 4 * Megabyte;
    private const int StepBytes = 4096; // what a file system gives at once

    private static readonly byte[] Noise = CheckedValue.Make(1, 1, 2 * LengthBytes);

    private readonly TemporaryDirectory _temporary = new();
    private readonly Dictionary<PilePointer, byte[]> _live = [];
    private int _values;

    private string DiskPath => Path.Combine(_temporary.Path, "disk");

    private string PilePath => Path.Combine(DiskPath, "pile");

    private string BallastPath => Path.Combine(DiskPath, "ballast");

    public void Dispose() => _temporary.Dispose();

    /// <summary>What was deleted is room again, without a restart, and nothing of a try that failed is left.</summary>
    [SmallDiskFact]
    public void A_disk_that_the_pile_filled_is_left_by_deleting()
    {
        using var disk = new SmallDisk(DiskPath, 220L * Megabyte);
        using (Pile pile = Open(16 * Megabyte))
        {
            pile.Delete(pile.Put("makes a log"));
            pile.Flush();
            Assert.Throws<PileFullException>(() => Put(pile, 10_000, LengthBytes));
            int count = _live.Count;
            Assert.InRange(count, 700, 1_000);
            pile.Flush();
            foreach (PilePointer pointer in _live.Keys)
                pile.Delete(pointer);
            _live.Clear();
            pile.Flush();
            pile.Trim();
            Assert.InRange(pile.Statistics.ReservedBytes, 0, 32 * Megabyte);
            Put(pile, count, LengthBytes);
            pile.Flush();
            Check(pile);
        }
        Assert.Empty(Directory.GetFiles(PilePath, "*.new"));
        CheckClosed();
    }

    /// <summary>The log of flushes grows on a disk that has room, and gives it back to whoever needs it.</summary>
    [SmallDiskFact]
    public void The_room_that_a_log_took_is_for_objects_once_the_disk_is_full()
    {
        using var disk = new SmallDisk(DiskPath, 96L * Megabyte);
        using (Pile pile = Open(SmallSegmentBytes))
        {
            for (int i = 0; i < 8; i++)
            {
                Put(pile, 20, LengthBytes);
                pile.Flush();
            }
            Assert.InRange(LogBytes(), 24 * Megabyte, 64 * Megabyte); // else there is nothing to give back
            Assert.Throws<PileFullException>(() => Put(pile, 10_000, LengthBytes));
            Assert.InRange(LogBytes(), 0, Megabyte);
            Assert.InRange(disk.FreeBytes, 0, SmallSegmentBytes);
            pile.Flush();
            Check(pile);
        }
        CheckClosed();
    }

    /// <summary>With each room that the disk may have, from none to more than the flushes of a pile take.</summary>
    [SmallDiskFact]
    public void Whatever_room_somebody_else_leaves_flushes_end_and_a_cut_behind_them_leaves_what_they_flushed()
    {
        using var disk = new SmallDisk(DiskPath, 40L * Megabyte);
        int without = 0;
        int steps = 0;
        for (long freeBytes = 0; freeBytes <= 3 * Megabyte / 4; freeBytes += StepBytes * TestLeg.Steps(67, 1), steps++)
        {
            without += FlushWith(disk, freeBytes) ? 1 : 0;
            Directory.Delete(PilePath, recursive: true);
            _live.Clear();
        }
        output.WriteLine($"{steps} steps of room, in {without} a flush without a log; lost 0, wrong 0");
        Assert.InRange(without, 1, steps - 1);
    }

    // Of links and of what was moved in all ways: replaced, brought back, and deleted.
    private bool FlushWith(SmallDisk disk, long freeBytes)
    {
        bool isWithout;
        using (Pile pile = Open(SmallSegmentBytes))
        {
            Put(pile, 200, 300);
            pile.Flush();
            Put(pile, 50, 4_000);
            Replace(pile, 10, 600);
            File.WriteAllBytes(BallastPath, new byte[disk.FreeBytes - freeBytes]);
            pile.Flush();
            isWithout = CheckFlushed(pile);
            Replace(pile, 60, 500); // of some of them once more
            Replace(pile, 20, 30);
            _ = pile.Compact();
            Delete(pile, 40);
            pile.Flush();
            isWithout |= CheckFlushed(pile);
            Replace(pile, 30, 700);
            pile.Flush();
            isWithout |= CheckFlushed(pile);
            File.Delete(BallastPath);
            Put(pile, 20, 300);
            pile.Flush();
            Assert.Null(pile.Engine.FlushTrouble);
            Replace(pile, 40, 900);
            File.WriteAllBytes(BallastPath, new byte[disk.FreeBytes - freeBytes]);
        }
        File.Delete(BallastPath);
        CheckClosed();
        return isWithout;
    }

    // What is on the disk is all that there is: the machine is started anew.
    private bool CheckFlushed(Pile pile)
    {
        Check(pile);
        string image = Path.Combine(_temporary.Path, "image");
        KilledPile.Copy(PilePath, image);
        using (Pile cut = Pile.Open(image, new PileOptions { BootId = Guid.NewGuid(), FlushLogBytes = Megabyte }))
        {
            cut.Recovery.Completion.Wait();
            Assert.Equal(0, cut.Recovery.FaultCount);
            Check(cut);
        }
        Directory.Delete(image, recursive: true);
        if (pile.Engine.FlushTrouble is not { } trouble)
            return false;
        Assert.Contains(Path.Combine(PilePath, "log-"), trouble.Details, StringComparison.Ordinal);
        Assert.Contains("bytes of the disk", trouble.Details, StringComparison.Ordinal);
        Assert.Contains("Free some disk space", trouble.Details, StringComparison.Ordinal);
        Assert.DoesNotContain(PilePath, trouble.Reason, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(PilePath, "log-?"));
        return true;
    }

    /// <summary>The device is full in another way, or refuses: the flush says so until one goes well.</summary>
    [Fact]
    public void A_flush_that_fails_is_shown_until_one_goes_well()
    {
        bool fails = false;
        using Pile pile = Pile.Open(Path.Combine(_temporary.Path, "pile"), new PileOptions
        {
            SegmentBytes = SmallSegmentBytes,
            Syncing = path => Refuse(fails, path),
        });
        pile.Put("text");
        fails = true;
        string message = Assert.Throws<PileStorageException>(() => pile.Flush()).Message;
        Assert.EndsWith("Free some disk space, and flush again.", message, StringComparison.Ordinal);
        Assert.Equal(message, pile.Engine.FlushTrouble!.Details);
        fails = false;
        pile.Flush();
        Assert.Null(pile.Engine.FlushTrouble);
    }

    /// <summary>What a killed owner left under the name of the next segment may be all the room that there is for it.</summary>
    [SmallDiskFact]
    public void A_segment_that_nobody_lists_gives_its_room_to_the_next_one()
    {
        using var disk = new SmallDisk(DiskPath, 16L * Megabyte);
        using Pile pile = Open(SmallSegmentBytes);
        Put(pile, 1, 100);
        File.WriteAllBytes(Path.Combine(PilePath, "segment-000001"), new byte[SmallSegmentBytes]);
        File.WriteAllBytes(BallastPath, new byte[disk.FreeBytes]);
        Put(pile, 18, LengthBytes); // what the first segment has of the disk by now, and all of the second
        Assert.Equal(2, pile.Statistics.SegmentCount);
        Check(pile);
    }

    /// <summary>File systems leave what they found until the disk was full: it goes back.</summary>
    [LoopDiskFact]
    public void A_file_that_the_disk_has_no_room_for_is_as_it_was()
    {
        foreach (string kind in new[] { "ext2", "ext4" })
        {
            using var disk = new LoopDisk(DiskPath, 16L * Megabyte, kind);
            using HeldDirectory directory = HeldDirectory.Open(DiskPath);
            using HeldFile file = directory.Open("file", FileMode.Create, FileAccess.ReadWrite);
            file.Extend(0, Megabyte);
            long freeBytes = new DriveInfo(DiskPath).AvailableFreeSpace;
            IOException full = Assert.Throws<IOException>(() => file.Extend(Megabyte, 64L * Megabyte));
            Assert.True(FileErrors.IsDiskFull(full), $"{kind}: {full}");
            Assert.Equal(Megabyte, file.LengthBytes);
            Assert.InRange(new DriveInfo(DiskPath).AvailableFreeSpace, freeBytes - StepBytes, freeBytes + StepBytes);
            Assert.Throws<IOException>(() => MappedRegion.Create(directory, "region", 64L * Megabyte));
            Assert.Throws<IOException>(() => GrowingMap.Create(directory, "map", 64L * Megabyte, 64L * Megabyte));
            Assert.Equal(["file"], Directory.GetFiles(DiskPath).Select(Path.GetFileName));
        }
    }

    private static void Refuse(bool fails, string path)
    {
        if (fails)
            throw new IOException($"'{path}' could not be written: no space left on device", 28);
    }

    private long LogBytes() => Directory.GetFiles(PilePath, "log-?").Sum(static path => new FileInfo(path).Length);

    private Pile Open(int segmentBytes) => Pile.Open(PilePath, new PileOptions { SegmentBytes = segmentBytes });

    private void CheckClosed()
    {
        using Pile again = Open(SmallSegmentBytes);
        again.Recovery.Completion.Wait();
        Assert.Equal((true, 0), (again.Recovery.WasClean, again.Recovery.FaultCount));
        Check(again);
        Assert.True(again.Verify().IsSound);
    }

    private void Put(Pile pile, int count, int lengthBytes)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] value = NewValue(lengthBytes);
            _live.Add(pile.Put(value), value);
        }
    }

    private void Replace(Pile pile, int count, int lengthBytes)
    {
        foreach (PilePointer pointer in _live.Keys.Take(count).ToArray())
            pile.Replace(pointer, _live[pointer] = NewValue(lengthBytes));
    }

    private void Delete(Pile pile, int count)
    {
        foreach (PilePointer pointer in _live.Keys.Take(count).ToArray())
        {
            pile.Delete(pointer);
            _live.Remove(pointer);
        }
    }

    // Of each number another part of the same noise.
    private byte[] NewValue(int lengthBytes) => Noise.AsSpan(_values++ * 8 % (Noise.Length - lengthBytes), lengthBytes).ToArray();

    private void Check(Pile pile)
    {
        Assert.Equal(_live.Count, pile.Statistics.ObjectCount);
        foreach ((PilePointer pointer, byte[] value) in _live)
            Assert.True(pile.GetBytes(pointer).AsSpan().SequenceEqual(value), $"{pointer} is not what was put");
    }
}
