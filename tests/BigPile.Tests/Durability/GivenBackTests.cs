using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>Segments and files that nobody needs any more go.</summary>
public sealed class GivenBackTests : DurabilityTest
{
    private const int LengthBytes = 100_000;

    /// <summary>Each segment has one object left, and so was no reason for a trim before it went.</summary>
    [Fact]
    public void The_last_objects_of_many_segments_take_the_segments_along()
    {
        var time = new ManualTime();
        using Pile pile = Open(options => options with { MaxBytes = 4 * SegmentBytes, TimeProvider = time });
        List<PilePointer> pointers = Fill(pile);
        Assert.InRange(pile.Statistics.SegmentCount, 3, 4);
        List<PilePointer> last =
        [
            .. pointers.GroupBy(static pointer => (long)pointer.Address * SizeClasses.GranuleBytes / SegmentBytes)
                .Select(static group => group.First()),
        ];
        Assert.Equal(pile.Statistics.SegmentCount, last.Count);
        pointers.Except(last).ToList().ForEach(pile.Delete);
        pile.Flush();
        pile.Trim();
        long segments = pile.Statistics.SegmentCount;
        Assert.InRange(segments, 3, 4);
        last.ForEach(pile.Delete);
        pile.Flush();
        time.Advance(TimeSpan.FromSeconds(10)); // it has just grown
        Eventually.True(() => pile.Statistics.SegmentCount == 1);
    }

    /// <summary>A kill between the strike of segments and the removal of their files, or while a segment was made.</summary>
    [Fact]
    public void An_opening_after_a_kill_removes_the_files_of_segments_that_are_not_listed()
    {
        string killed = PilePath + "-killed";
        using (Pile pile = Open(options => options with { MaxBytes = 8 * SegmentBytes }))
        {
            _ = pile.Put("kept");
            KilledPile.Copy(PilePath, killed);
        }
        string[] left = ["segment-000003", "segment-000004.new", "segment-1000000"];
        string[] others = ["segment-000000.bak", "segment-", "segment-map"];
        foreach (string name in left.Concat(others))
            File.WriteAllBytes(Path.Combine(killed, name), new byte[10_000]);
        using (Pile pile = Pile.Open(killed, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = 8 * SegmentBytes }))
        {
            Assert.All(left, name => Assert.False(File.Exists(Path.Combine(killed, name)), name));
            Assert.All(others, name => Assert.True(File.Exists(Path.Combine(killed, name)), name));
            pile.Recovery.Completion.Wait();
            Assert.Equal(1, pile.Statistics.ObjectCount);
        }
        using Pile again = Pile.Open(killed);
        Assert.True(again.Verify().IsSound);
    }

    private static List<PilePointer> Fill(Pile pile)
    {
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => FillUp(pile, pointers));
        return pointers;
    }

    private static void FillUp(Pile pile, List<PilePointer> pointers)
    {
        while (true)
            pointers.Add(pile.Put(new byte[LengthBytes]));
    }
}
