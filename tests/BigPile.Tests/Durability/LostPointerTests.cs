using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Durability;

/// <summary>A pointer to what a crash took names nothing ever after: the table entry that holds it may have outlived its object.</summary>
public sealed class LostPointerTests : DurabilityTest
{
    private const int SlotPayload = 40;
    private const int RunPayload = 100_000;

    [Theory]
    [InlineData(SlotPayload, 0)] // in a page that is empty but for it
    [InlineData(SlotPayload, 3)]
    [InlineData(RunPayload, 0)]
    public void What_was_not_published_at_a_kill(int payloadBytes, int neighbours)
    {
        using Pile pile = Open();
        Use(pile, payloadBytes, neighbours);
        PilePointer pointer = TakeUnpublished(pile, payloadBytes);
        AssertNeverNamed(OpenKilled, pointer, payloadBytes);
    }

    [Theory]
    [InlineData(SlotPayload, 0)]
    [InlineData(SlotPayload, 3)]
    [InlineData(RunPayload, 0)]
    public void What_never_reached_the_device(int payloadBytes, int neighbours)
    {
        using Pile pile = Open();
        Use(pile, payloadBytes, neighbours);
        pile.Flush();
        KilledPile.Copy(PilePath, ImagePath); // as if nothing of what follows were written
        PilePointer pointer = pile.Put(new byte[payloadBytes]);
        AssertNeverNamed(OpenImage, pointer, payloadBytes);
    }

    /// <summary>The owner after the one that died knows of it no more than the one before.</summary>
    [Fact]
    public void Nor_after_one_more_owner()
    {
        using Pile pile = Open();
        Use(pile, SlotPayload, neighbours: 3);
        PilePointer pointer = TakeUnpublished(pile, SlotPayload);
        OpenKilled().Dispose();
        AssertNeverNamed(_ => Pile.Open(ImagePath), pointer, SlotPayload);
    }

    /// <summary>
    /// The owner that finds the cut uses nothing; how it ends, and what it has seen by then, makes no difference to the next one.
    /// </summary>
    [Theory]
    [InlineData(SlotPayload, 0, false, true)]
    [InlineData(SlotPayload, 3, false, true)]
    [InlineData(RunPayload, 0, false, true)]
    [InlineData(SlotPayload, 0, true, true)]
    [InlineData(SlotPayload, 3, true, true)]
    [InlineData(RunPayload, 0, true, true)]
    [InlineData(SlotPayload, 0, true, false)]
    [InlineData(SlotPayload, 3, true, false)]
    [InlineData(RunPayload, 0, true, false)]
    public void Nor_once_the_owner_that_found_the_cut_has_ended(int payloadBytes, int neighbours, bool isRecovered, bool isKilled)
    {
        using Pile pile = Open();
        Use(pile, payloadBytes, neighbours);
        pile.Flush();
        KilledPile.Copy(PilePath, ImagePath);
        PilePointer lost = PutAgainAndAgain(pile, payloadBytes, times: 50);
        using (Pile first = OpenImage(options => options with { WarmupBytesPerSecond = isRecovered ? 0 : 1 }))
        {
            if (isRecovered)
                first.Recovery.Completion.Wait();
            else
                first.Recovery.Pause();
            KilledPile.Copy(ImagePath, OtherPath);
        }
        AssertNeverNamed(_ => OpenAt(isKilled ? OtherPath : ImagePath, NextBoot, null), lost, payloadBytes);
    }

    /// <summary>What was deleted is known from the log alone, and what came after it from nothing.</summary>
    [Theory]
    [InlineData(SlotPayload, 0)]
    [InlineData(SlotPayload, 3)]
    [InlineData(RunPayload, 0)]
    [InlineData(RunPayload, 3)]
    public void What_came_to_the_room_of_something_deleted(int payloadBytes, int neighbours)
    {
        using Pile pile = Open();
        Use(pile, payloadBytes, neighbours);
        pile.Flush();
        PilePointer deleted = pile.Put(new byte[payloadBytes]);
        pile.Flush();
        KilledPile.Copy(PilePath, ImagePath);
        pile.Delete(deleted);
        pile.Flush();
        foreach (string name in new[] { "superblock", "log-0", "log-1" })
        {
            if (File.Exists(Path.Combine(PilePath, name)))
                File.WriteAllBytes(Path.Combine(ImagePath, name), PileFiles.ReadShared(Path.Combine(PilePath, name)));
        }
        PilePointer lost = PutAgainAndAgain(pile, payloadBytes, times: 20);
        AssertNeverNamed(OpenImage, lost, payloadBytes);
    }

    private static PilePointer PutAgainAndAgain(Pile pile, int payloadBytes, int times)
    {
        PilePointer pointer = pile.Put(new byte[payloadBytes]);
        for (int i = 1; i < times; i++)
        {
            pile.Delete(pointer);
            pointer = pile.Put(new byte[payloadBytes]);
        }
        return pointer;
    }

    /// <summary>Each slot that is used once more is one that has been used: the next owner counts on from there.</summary>
    [Fact]
    public void Nor_when_the_next_owner_dies_as_well()
    {
        using Pile pile = Open();
        Use(pile, SlotPayload, neighbours: 3);
        _ = TakeUnpublished(pile, SlotPayload);
        using Pile second = OpenKilled();
        second.Recovery.Completion.Wait();
        PilePointer pointer = TakeUnpublished(second, SlotPayload);
        KilledPile.Copy(ImagePath, OtherPath);
        AssertNeverNamed(_ => Pile.Open(OtherPath), pointer, SlotPayload);
    }

    /// <summary>A slot has as many generations as there are; a found one that is near the end is given up and never wraps.</summary>
    [Theory]
    [InlineData(PilePointer.MaxGeneration - 1, false)]
    [InlineData(PilePointer.MaxGeneration - 2, true)]
    public unsafe void A_slot_that_is_nearly_worn(uint generation, bool isUsedAgain)
    {
        using Pile pile = Open();
        Use(pile, SlotPayload, neighbours: 3);
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader();
        Slot slot = pile.Tables.Take(critical, SlotPayload, isEvictable: false, out _);
        *(ulong*)slot.Start = BlockHeader.Free(generation).Word;
        critical.Exit();
        using Pile killed = OpenKilled();
        killed.Recovery.Completion.Wait();
        Assert.Equal(isUsedAgain, PutUntil(killed, slot.Address, SlotPayload, out PilePointer found));
        Assert.Equal(isUsedAgain ? PilePointer.MaxGeneration - 1 : 0, found.Generation);
        Assert.True(killed.Verify().IsSound);
    }

    private static void AssertNeverNamed(Func<Func<PileOptions, PileOptions>?, Pile> open, PilePointer pointer, int payloadBytes)
    {
        using Pile pile = open(null);
        pile.Recovery.Completion.Wait();
        Assert.False(pile.Contains(pointer));
        Assert.True(PutUntil(pile, pointer.Address, payloadBytes, out PilePointer found), "Its room is used again.");
        Assert.True(found.Generation > pointer.Generation, $"{found.Generation} after {pointer.Generation}");
        Assert.False(pile.Contains(pointer));
        Assert.True(pile.Verify().IsSound);
    }

    private static bool PutUntil(Pile pile, ulong address, int payloadBytes, out PilePointer found)
    {
        found = default;
        for (int i = 0; i < 3_000 && pile.Statistics.ReservedBytes <= SegmentBytes; i++)
        {
            PileRegions.Current.Shard = i; // whichever heap has the page
            PilePointer put = pile.Put(new byte[payloadBytes]);
            if (put.Address != address)
                continue;
            found = put;
            return true;
        }
        return false;
    }

    // Objects that stay, and rooms that were used before.
    private static void Use(Pile pile, int payloadBytes, int neighbours)
    {
        var deleted = new List<PilePointer>();
        for (int i = 0; i < 5; i++)
            deleted.Add(pile.Put(new byte[payloadBytes]));
        for (int i = 0; i < neighbours; i++)
            _ = pile.Put(new byte[payloadBytes]);
        deleted.ForEach(pile.Delete);
    }

    private static PilePointer TakeUnpublished(Pile pile, int payloadBytes)
    {
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader();
        Slot slot = pile.Tables.Take(critical, payloadBytes, isEvictable: false, out _);
        critical.Exit();
        return new PilePointer(slot.Address, slot.Generation);
    }
}
