using System;
using BigPile.Layout;

namespace BigPile.Tests.Allocation;

public sealed class PageInfoTests
{
    private const int UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    [Fact]
    public void Exactly_the_starts_of_slots_are_slots_in_every_class()
    {
        for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
        {
            PageInfo info = SizeClasses.InfoOf(sizeClass);
            int slotUnits = SizeClasses.SlotBytes(sizeClass) / SizeClasses.GranuleBytes;
            Assert.Equal(sizeClass + 1, info.ClassPlusOne);
            Assert.Equal(UnitsPerPage / slotUnits, info.SlotCount);
            for (int unit = 0; unit < UnitsPerPage; unit++)
            {
                bool isStart = unit % slotUnits == 0 && unit / slotUnits < info.SlotCount;
                ulong address = 7UL * UnitsPerPage + (ulong)unit;
                Assert.Equal(isStart, info.HasSlotAt(address));
                if (isStart)
                    Assert.Equal((uint)(unit / slotUnits), info.SlotAt(address));
            }
        }
    }

    [Fact]
    public void A_run_has_one_slot_and_an_unused_page_none()
    {
        for (ulong unit = 0; unit < UnitsPerPage; unit++)
        {
            Assert.Equal(unit == 0, PageInfo.OfRun().HasSlotAt(unit));
            Assert.False(default(PageInfo).HasSlotAt(unit));
        }
    }

    [Fact]
    public void Every_block_gets_the_smallest_class_that_holds_it()
    {
        for (int bytes = 1; bytes <= SizeClasses.MaxSlotBytes; bytes++)
        {
            int sizeClass = SizeClasses.ClassOf(bytes);
            Assert.True(SizeClasses.SlotBytes(sizeClass) >= bytes);
            if (sizeClass > 0)
                Assert.True(SizeClasses.SlotBytes(sizeClass - 1) < bytes);
            Assert.Equal(0, SizeClasses.SlotBytes(sizeClass) % SizeClasses.GranuleBytes);
        }
        Assert.InRange(SizeClasses.Count, 1, 200);
    }

    [Fact]
    public void The_header_keeps_its_parts_apart()
    {
        const ulong MostField = (1UL << 36) - 1;
        foreach (BlockKind kind in Enum.GetValues<BlockKind>())
        {
            foreach (uint generation in new uint[] { 0, 1, 0x800000, PilePointer.MaxGeneration })
            {
                var header = new BlockHeader(kind, generation, MostField);
                Assert.Equal(kind, header.Kind);
                Assert.Equal(generation, header.Generation);
                Assert.Equal(MostField, header.TargetAddress);
                Assert.Equal(0UL, header.Word & (1UL << 36));
            }
        }
        Assert.Equal(0UL, BlockHeader.Free(0).Word);
        Assert.True(default(BlockHeader).IsFree);
        Assert.Equal(8u, new BlockHeader(BlockKind.String, 7, 5).Freed.Generation);
    }

    [Fact]
    public void A_page_word_keeps_its_parts_apart()
    {
        PageWord run = PageWord.RunHead(0xFFFFFF, PilePointer.MaxGeneration);
        Assert.True(run.IsRunHead);
        Assert.False(run.HasSlots || run.IsRunTail || run.IsUnused);
        Assert.Equal(0xFFFFFF, run.RunPages);
        Assert.Equal(PilePointer.MaxGeneration, run.GenerationBase);
        Assert.True(PageWord.Unused(5).IsUnused);
        Assert.True(PageWord.RunTail(5).IsRunTail);
        PageWord slots = PageWord.Slots(SizeClasses.Count - 1, 9, epoch: 0);
        Assert.True(slots.HasSlots);
        Assert.Equal(SizeClasses.Count - 1, slots.SizeClass);
        Assert.Equal(9u, slots.GenerationBase);
    }
}
