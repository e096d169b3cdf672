using System;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests.Layout;

/// <summary>The table of a header's states, and the assertions that use it.</summary>
public sealed class BlockTransitionTests
{
    private const uint Generation = 7;

    private static readonly BlockHeader Object = new(BlockKind.Bytes, Generation, 100);
    private static readonly BlockHeader Link = new(BlockKind.Link, Generation, 100);
    private static readonly BlockHeader Target = new(BlockKind.LinkTarget, Generation, 100);
    private static readonly BlockHeader Entry = new(BlockKind.TableEntry, Generation, 100);

    [Fact]
    public void Each_state_is_that_of_a_header()
    {
        BlockHeader[] all =
            [Object.Freed, Object.UndoableFree(200, 1), Object, Object.Busy, Link, Link.Busy, Target, Entry];
        Assert.Equal(Enum.GetValues<BlockState>(), all.Select(BlockTransitions.StateOf));
    }

    [Fact]
    public void An_object_is_busy_before_it_becomes_a_link()
    {
        Assert.True(BlockTransitions.IsLegal(Object, Object.Busy));
        Assert.True(BlockTransitions.IsLegal(Object.Busy, Link));
        Assert.False(BlockTransitions.IsLegal(Object, Link));
        Assert.False(BlockTransitions.IsLegal(Object, new BlockHeader(BlockKind.Bytes, Generation, 50)));
    }

    [Fact]
    public void Entries_and_targets_are_never_busy()
    {
        Assert.False(BlockTransitions.IsLegal(Entry, Object.Busy));
        Assert.False(BlockTransitions.IsLegal(Target, Object.Busy));
        Assert.False(BlockTransitions.IsLegal(Target, Link.Busy));
        Assert.True(BlockTransitions.IsLegal(Target, new BlockHeader(BlockKind.LinkTarget, Generation, 50)));
        Assert.False(BlockTransitions.IsLegal(Entry, new BlockHeader(BlockKind.TableEntry, Generation, 50)));
    }

    [Fact]
    public void Nothing_but_recovery_brings_a_freed_block_back()
    {
        BlockHeader freed = Object.UndoableFree(200, 1);
        Assert.False(BlockTransitions.IsLegal(freed, freed.Undone(200)));
        Assert.True(BlockTransitions.IsLegal(freed, freed.WithEpoch(2)));
        Assert.True(BlockTransitions.IsLegal(freed, Object.Freed));
    }

    [Fact]
    public void A_block_keeps_its_generation_and_who_frees_it_raises_it_by_one()
    {
        Assert.True(BlockTransitions.IsLegal(Object, Object.Freed));
        Assert.False(BlockTransitions.IsLegal(Object, BlockHeader.Free(Generation)));
        Assert.False(BlockTransitions.IsLegal(Object, BlockHeader.Free(Generation + 2)));
        Assert.False(BlockTransitions.IsLegal(Object.Busy, new BlockHeader(BlockKind.Bytes, Generation + 1, 100)));
    }

    [Fact]
    public void The_generation_of_a_free_slot_never_falls()
    {
        BlockHeader free = BlockHeader.Free(Generation);
        Assert.True(BlockTransitions.IsLegal(free, Object));
        Assert.True(BlockTransitions.IsLegal(free, BlockHeader.Free(Generation + 3)));
        Assert.False(BlockTransitions.IsLegal(free, BlockHeader.Free(Generation - 1)));
        Assert.False(BlockTransitions.IsLegal(free, new BlockHeader(BlockKind.Bytes, Generation - 1, 100)));
        Assert.False(BlockTransitions.IsLegal(free, free.Busy));
    }
}
