using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests;

/// <summary>What a pile's files keep over restarts and kills.</summary>
public sealed class MappedDirectoryTests : MappedDirectoryTest
{
    [Fact]
    public void Everything_comes_back_after_a_restart_and_old_pointers_stay_dead()
    {
        var live = new Dictionary<PilePointer, object>();
        var dead = new List<PilePointer>();
        var random = new Random(3);
        for (int life = 0; life < 5; life++)
        {
            using Pile pile = Open();
            pile.Recovery.Completion.Wait();
            Assert.Equal(live.Count, pile.Statistics.ObjectCount);
            Assert.Equal(live.Keys.ToHashSet(), pile.Select(static entry => entry.Pointer).ToHashSet());
            Assert.All(live, pair => Assert.True(IsSame(pair.Value, pile.Get(pair.Key))));
            Assert.All(dead, pointer => Assert.False(pile.Contains(pointer)));
            for (int i = 0; i < 2_000; i++)
                Change(pile, random, live, dead);
        }
    }

    /// <summary>
    /// A segment that replaces one given back starts above its generations, also in pages that no life before the restart used.
    /// </summary>
    [Fact]
    public void Pointers_into_a_segment_that_was_given_back_stay_dead_after_a_restart()
    {
        PilePointer[] dead;
        using (Pile pile = Open())
        {
            dead = [.. Enumerable.Range(0, 400).Select(_ => pile.Put(new byte[30_000]))];
            Assert.Equal(4, pile.Statistics.SegmentCount);
            Assert.All(dead, pile.Delete);
            pile.Trim();
            Assert.Equal(1, pile.Statistics.SegmentCount);
            pile.Put(new byte[4_000_000]);
            pile.Put(new byte[200_000]);
            Assert.Equal(2, pile.Statistics.SegmentCount);
        }
        using Pile again = Open();
        for (int i = 0; i < 400; i++)
            again.Put(new byte[30_000]);
        Assert.All(dead, pointer => Assert.False(again.Contains(pointer)));
    }

    [Fact]
    public void The_statistics_are_the_same_after_a_restart()
    {
        PileStatistics before;
        using (Pile pile = Open())
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 5_000).Select(i => pile.Put(new byte[i % 900]))];
            pile.Put(new byte[500_000]);
            pile.Replace(pointers[7], new byte[3_000]);
            foreach (PilePointer pointer in pointers.Where(static (_, i) => i % 4 == 1))
                pile.Delete(pointer);
            Eventually.True(() => pile.Engine.Background.IsIdle); // a segment may be made ahead
            before = pile.Statistics;
        }
        using Pile again = Open();
        again.Recovery.Completion.Wait();
        Assert.Equal(before with { RecordBytes = 0 }, again.Statistics with { RecordBytes = 0 });
    }

    /// <summary>The files as a killed process leaves them are a copy of the directory taken while it is open.</summary>
    [Fact]
    public void What_was_put_is_there_without_a_clean_close()
    {
        string killed = Path.Combine(RootPath, "killed");
        var live = new Dictionary<PilePointer, object>();
        var dead = new List<PilePointer>();
        var random = new Random(4);
        using (Pile pile = Open())
        {
            for (int i = 0; i < 5_000; i++)
                Change(pile, random, live, dead);
            KilledPile.Copy(DirectoryPath, killed);
        }
        using Pile again = Pile.Open(killed);
        again.Recovery.Completion.Wait();
        Assert.Equal(live.Count, again.Statistics.ObjectCount);
        Assert.All(live, pair => Assert.True(IsSame(pair.Value, again.Get(pair.Key))));
        Assert.All(dead, pointer => Assert.False(again.Contains(pointer)));
    }

    [Fact]
    public void A_link_target_without_its_origin_is_freed_at_opening()
    {
        PilePointer pointer;
        using (Pile pile = Open())
        {
            pointer = pile.Put("short");
            pile.Replace(pointer, new byte[1_000]);
        }
        OverwriteHeader(pointer, generation: 1); // what a kill leaves between the two stores of a deletion
        using Pile again = Open();
        again.Recovery.Completion.Wait();
        Assert.Equal(1, again.Recovery.OrphanCount);
        Assert.Equal(0, again.Statistics.ObjectCount);
        Assert.Equal(0, again.Statistics.LinkCount);
        Assert.Equal(0, again.Statistics.PayloadBytes);
        Assert.Empty(again);
        Assert.False(again.Contains(pointer));
    }

    [Fact]
    public void A_damaged_block_is_dropped_and_reported_with_its_place()
    {
        PilePointer pointer;
        using (Pile pile = Open())
            pointer = pile.Put("x");
        OverwriteHeader(pointer, new BlockHeader(BlockKind.String, pointer.Generation, 5_000).Word);
        using Pile again = Open();
        Assert.False(again.Contains(pointer));
        PileFault fault = Assert.Single(again.Recovery.Faults);
        Assert.Contains("segment 0", fault.Place, StringComparison.Ordinal);
        Assert.Contains("5,000", fault.What, StringComparison.Ordinal);
    }

    [Fact]
    public void A_segment_that_was_given_back_leaves_no_file_and_no_pointer_alive()
    {
        List<PilePointer> dead;
        using (Pile pile = Open())
        {
            dead = [.. Enumerable.Range(0, 12_000).Select(_ => pile.Put(new byte[1_000]))];
            dead.ForEach(pile.Delete);
            pile.Trim();
        }
        Assert.Single(Directory.GetFiles(DirectoryPath, "segment-*"));
        using Pile again = Open();
        for (int i = 0; i < 12_000; i++)
            again.Put(new byte[1_000]);
        Assert.All(dead, pointer => Assert.False(again.Contains(pointer)));
    }

    private static void Change(Pile pile, Random random, Dictionary<PilePointer, object> live, List<PilePointer> dead)
    {
        int dice = random.Next(4);
        PilePointer some = live.Count == 0 ? default : live.Keys.ElementAt(random.Next(Math.Min(live.Count, 50)));
        object value = dice == 0 ? new string('é', random.Next(300)) : new byte[random.Next(dice == 1 ? 80_000 : 300)];
        if (live.Count == 0 || dice <= 1)
        {
            live[pile.Put(value)] = value;
        }
        else if (dice == 2)
        {
            pile.Replace(some, value);
            live[some] = value;
        }
        else
        {
            pile.Delete(some);
            live.Remove(some);
            dead.Add(some);
        }
    }

    // The assertion library compares byte arrays element by element, which takes longer than all the rest of these tests.
    private static bool IsSame(object expected, object actual) =>
        expected is byte[] bytes ? bytes.AsSpan().SequenceEqual((byte[])actual) : expected.Equals(actual);

    private void OverwriteHeader(PilePointer pointer, uint generation) =>
        OverwriteHeader(pointer, BlockHeader.Free(generation).Word);

    private void OverwriteHeader(PilePointer pointer, ulong word)
    {
        using var file = new FileStream(Path.Combine(DirectoryPath, "segment-000000"), FileMode.Open);
        file.Position = (long)pointer.Address * SizeClasses.GranuleBytes;
        file.Write(BitConverter.GetBytes(word));
    }
}
