using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>The segment that is made ahead, where giving it back fails: it may be listed or not.</summary>
public sealed class UncertainSpareTests : DurabilityTest
{
    private const int ValueBytes = 8_000;

    /// <summary>The superblock is written twice, each time with a sync. One of these four fails.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void It_is_listed_again_before_it_is_used(int failing)
    {
        int left = 0;
        var hook = new RefusingHook((operation, path) =>
            operation is FileOperation.Write or FileOperation.Sync && path.EndsWith("superblock", StringComparison.Ordinal)
            && left != 0 && --left == 0 ? new IOException("not now") : null);
        string killed = PilePath + "-killed";
        List<PilePointer> pointers;
        using (Pile pile = Open(options => options with { FileHook = hook }))
        {
            pointers = Fill(pile, SegmentBytes * 5 / 6);
            MakeSpare(pile);
            left = failing;
            PileStorageException failure = Assert.Throws<PileStorageException>(pile.Trim);
            Assert.Contains("not now", failure.ToString(), StringComparison.Ordinal);
            Assert.True(pile.Engine.Blocks.Allocator.Pool.Growth.HasSpare);
            pointers.AddRange(Fill(pile, SegmentBytes));
            Assert.InRange(pile.Statistics.SegmentCount, 2, 3);
            KilledPile.Copy(PilePath, killed);
        }
        using Pile again = OpenAt(killed, null, null);
        Assert.All(pointers, pointer => Assert.Equal(ValueBytes, again.Get<byte[]>(pointer).Length));
    }

    [Fact]
    public void While_that_fails_it_is_not_used()
    {
        bool isRefused = false;
        var hook = new RefusingHook((operation, path) =>
            isRefused && operation == FileOperation.Write && path.EndsWith("superblock", StringComparison.Ordinal)
                ? new IOException("not now") : null);
        using Pile pile = Open(options => options with { FileHook = hook });
        _ = Fill(pile, SegmentBytes * 5 / 6);
        MakeSpare(pile);
        isRefused = true;
        Assert.Throws<PileStorageException>(pile.Trim);
        PileFullException refusal = Assert.Throws<PileFullException>(() => Fill(pile, SegmentBytes));
        Assert.Contains("not now", refusal.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, pile.Statistics.SegmentCount);
        isRefused = false;
        Assert.NotEmpty(Fill(pile, SegmentBytes));
        Assert.InRange(pile.Statistics.SegmentCount, 2, 3);
    }

    // As the background does, which a pile with a hook does not have.
    private static void MakeSpare(Pile pile)
    {
        pile.Engine.Blocks.Allocator.Pool.Growth.MakeSpare(static () => SegmentBytes);
        Assert.True(pile.Engine.Blocks.Allocator.Pool.Growth.HasSpare);
    }

    private static List<PilePointer> Fill(Pile pile, long bytes) =>
        [.. Enumerable.Range(0, (int)(bytes / ValueBytes)).Select(_ => pile.Put(new byte[ValueBytes]))];
}
