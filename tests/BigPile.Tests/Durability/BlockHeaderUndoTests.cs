using System;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>A free header gives back the header that was there before.</summary>
public sealed class BlockHeaderUndoTests
{
    private static readonly BlockKind[] Kinds =
        [.. Enum.GetValues<BlockKind>().Where(static kind => kind is not (BlockKind.Free or BlockKind.Link))];

    [Fact]
    public void Every_length_of_every_slot_and_every_kind_comes_back()
    {
        for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
        {
            long capacityBytes = SizeClasses.SlotBytes(sizeClass) - BlockHeader.SizeBytes;
            for (long lengthBytes = 0; lengthBytes <= capacityBytes; lengthBytes++)
                CheckSlot(Kinds[(int)(lengthBytes % Kinds.Length)], (uint)lengthBytes * 511 % PilePointer.MaxGeneration, lengthBytes,
                    capacityBytes);
        }
    }

    [Fact]
    public void The_lengths_of_runs_come_back_up_to_a_whole_gigabyte_behind_a_link()
    {
        foreach (long lengthBytes in new[] { 32_761, 1 << 20, (1L << 30) - 1, 1L << 30, (1L << 30) + OwnerWord.SizeBytes })
        {
            long capacityBytes = (lengthBytes / SizeClasses.PageBytes + 2) * SizeClasses.PageBytes - BlockHeader.SizeBytes;
            foreach (BlockKind kind in Kinds)
                Check(new BlockHeader(kind, 77, (ulong)lengthBytes), capacityBytes);
        }
    }

    [Fact]
    public void A_header_is_pending_in_its_own_epoch_and_in_the_two_before()
    {
        BlockHeader live = new(BlockKind.Bytes, 5, 40);
        for (long epoch = 0; epoch < 9; epoch++)
        {
            BlockHeader undoable = live.UndoableFree(56, epoch);
            Assert.Equal([true, true, true, false], Enumerable.Range(-2, 4).Select(i => undoable.IsPendingIn(epoch + 4 + i)));
            Assert.Equal([false, true, true, false], Enumerable.Range(-2, 4).Select(i => undoable.IsFromBeforeCut(epoch + 4 + i)));
            Assert.Equal(live.Word, undoable.WithEpoch(epoch + 3).Undone(56).Word);
            Assert.Equal(live.UndoableFree(56, epoch + 3).Word, undoable.WithEpoch(epoch + 3).Word);
        }
    }

    [Fact]
    public void A_plain_free_header_is_not_taken_for_one_that_can_be_undone()
    {
        for (uint generation = 0; generation < PilePointer.MaxGeneration; generation += 997)
            Assert.False(BlockHeader.Free(generation).IsUndoableFree);
        Assert.False(default(BlockHeader).IsUndoableFree);
    }

    private static void CheckSlot(BlockKind kind, uint generation, long lengthBytes, long capacityBytes)
    {
        if (capacityBytes - lengthBytes < BlockChecksum.TailBytes)
            Check(BlockHeader.WithInlineChecksum(kind, generation, lengthBytes, generation * 2_654_435_761), capacityBytes);
        Check(new BlockHeader(kind, generation, (ulong)lengthBytes), capacityBytes);
    }

    private static void Check(BlockHeader live, long capacityBytes)
    {
        BlockHeader undoable = live.UndoableFree(capacityBytes, live.Generation);
        Assert.True(undoable.IsFree && undoable.IsUndoableFree && !undoable.IsAddressable);
        Assert.Equal(live.Generation + 1, undoable.Generation);
        Assert.Equal(0, undoable.PayloadBytes);
        Assert.Equal(live.Word, undoable.Undone(capacityBytes).Word);
    }
}
