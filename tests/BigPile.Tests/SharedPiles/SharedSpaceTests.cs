using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using BigPile.Tests.Durability;

namespace BigPile.Tests.SharedPiles;

/// <summary>Memory that runs out, and memory that is given back while readers look on.</summary>
[SupportedOSPlatform("linux")]
public sealed class SharedSpaceTests : SharedPileTest
{
    private const int ValueBytes = 40_000;

    [SmallDiskFact]
    public void Memory_that_runs_out_is_an_exception_and_nothing_is_lost()
    {
        using var disk = new SmallDisk(Path.Combine(RootPath, "disk"), 14 << 20);
        string path = Path.Combine(disk.Path, "pile");
        var pointers = new List<PilePointer>();
        using (Pile writer = Pile.Open(path, Options))
        {
            using Pile reader = Pile.Open(path, ReaderOptions);
            Assert.Throws<PileFullException>(() => Fill(writer, pointers));
            Assert.True(pointers.Count > 100);
            for (int i = 0; i < pointers.Count; i++)
                Assert.Equal(Value(i), reader.GetBytes(pointers[i]));
            writer.Delete(pointers[^1]);
            pointers[^1] = writer.Put(Value(pointers.Count - 1));
        }
        using Pile again = Pile.Open(path, Options);
        for (int i = 0; i < pointers.Count; i++)
            Assert.Equal(Value(i), again.GetBytes(pointers[i]));
    }

    [SmallDiskFact]
    public void Where_there_is_no_room_for_a_pile_at_all_opening_says_so()
    {
        using var disk = new SmallDisk(Path.Combine(RootPath, "disk"), 1 << 20);
        string path = Path.Combine(disk.Path, "pile");
        Assert.Contains(path, Assert.Throws<PileStorageException>(() => Pile.Open(path, Options)).Message, StringComparison.Ordinal);
    }

    /// <summary>A segment that is given back is memory for as long as a reader maps it: an idle one lets go by the clock.</summary>
    [SmallDiskFact]
    public void What_a_writer_gives_back_is_free_though_a_reader_sleeps()
    {
        using var disk = new SmallDisk(Path.Combine(RootPath, "disk"), 40 << 20);
        string path = Path.Combine(disk.Path, "pile");
        var time = new ManualTime();
        using Pile writer = Pile.Open(path, Options);
        PilePointer first = writer.Put("first");
        long freeBytes = disk.FreeBytes;
        using Pile reader = Pile.Open(path, ReaderOptions with { TimeProvider = time });
        PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(i => writer.Put(Value(i)))];
        Assert.Equal(Value(499), reader.GetBytes(pointers[499]));
        Assert.True(disk.FreeBytes < freeBytes - 3 * SegmentBytes);
        Array.ForEach(pointers, writer.Delete);
        writer.Trim();
        Assert.Equal(1, writer.Statistics.SegmentCount);
        Assert.True(disk.FreeBytes < freeBytes - 3 * SegmentBytes, "the reader maps them");
        time.Advance(TimeSpan.FromSeconds(1));
        Eventually.True(() => disk.FreeBytes > freeBytes - SegmentBytes); // the first one has all of its space by now
        Assert.Equal("first", reader.Get(first));
    }

    /// <summary>Read through a map, a hole of a file in memory is filled: so there must be none where an old pointer leads.</summary>
    [SmallDiskFact]
    public void Old_pointers_cost_no_memory()
    {
        using var disk = new SmallDisk(Path.Combine(RootPath, "disk"), 40 << 20);
        string path = Path.Combine(disk.Path, "pile");
        using Pile writer = Pile.Open(path, Options);
        PilePointer first = writer.Put("first");
        using Pile reader = Pile.Open(path, ReaderOptions);
        PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(i => writer.Put(Value(i)))];
        Assert.All(pointers, pointer => Assert.True(reader.Contains(pointer)));
        foreach (PilePointer pointer in pointers.Where(static (_, i) => i % 97 != 0))
            writer.Delete(pointer); // the segments stay, most of their pages are free
        writer.Trim();
        long freeBytes = disk.FreeBytes;
        Assert.Equal(pointers.Where(static (_, i) => i % 97 == 0), pointers.Where(reader.Contains));
        Assert.InRange(disk.FreeBytes, freeBytes, long.MaxValue); // the reader may let go of trimmed segments only now
        Array.ForEach(pointers, pointer => writer.TryDelete(pointer));
        writer.Trim();
        Assert.DoesNotContain(pointers, reader.Contains);
        Assert.Equal("first", reader.Get(first));
        Eventually.True(() => disk.FreeBytes > freeBytes);
    }

    private static void Fill(Pile writer, List<PilePointer> pointers)
    {
        while (pointers.Count < 100_000)
            pointers.Add(writer.Put(Value(pointers.Count)));
    }

    private static byte[] Value(int number)
    {
        var value = new byte[ValueBytes];
        value.AsSpan().Fill((byte)number);
        return value;
    }
}
