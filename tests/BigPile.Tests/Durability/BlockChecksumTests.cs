using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>Each single bit that flips in a header, a payload, a checksum or a page word is noticed.</summary>
public sealed unsafe class BlockChecksumTests
{
    private const BlockKind Kind = BlockKind.Bytes;
    private const uint Generation = 0x5A1234;

    /// <summary>Slot sizes: all in the long leg, in the normal one each fifth and the largest ones.</summary>
    public static TheoryData<int> SlotSizes
    {
        get
        {
            var sizes = new TheoryData<int>();
            for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
            {
                if (TestLeg.IsLong || sizeClass % 5 == 0 || SizeClasses.SlotBytes(sizeClass) is > 100 and < 200 or 4096 or 32768)
                    sizes.Add(SizeClasses.SlotBytes(sizeClass));
            }
            return sizes;
        }
    }

    [Theory]
    [MemberData(nameof(SlotSizes))]
    public void A_flipped_bit_in_a_slot_is_noticed(int slotBytes)
    {
        int capacityBytes = slotBytes - BlockHeader.SizeBytes;
        foreach (int payloadBytes in new[] { capacityBytes, capacityBytes - 1, capacityBytes - 3, capacityBytes - 4, capacityBytes - 5,
            capacityBytes / 2, 1, 0 })
            TryFlips(payloadBytes, capacityBytes, sampled: slotBytes > 1_024);
    }

    [Theory]
    [InlineData(40_000, 65_528)]
    [InlineData(65_524, 65_528)]
    [InlineData(65_536, 131_064)]
    [InlineData(131_072, 131_080 + 65_536)]
    public void A_flipped_bit_in_a_run_is_noticed(int payloadBytes, int capacityBytes) =>
        TryFlips(payloadBytes, capacityBytes, sampled: true);

    /// <summary>
    /// A header has room for 20 bits of a checksum. The checksum is linear, so what a flipped bit of the payload changes in these bits does
    /// not depend on the payload: that it is something, for each bit of the largest payload and every shorter one, is all there is to
    /// prove. Of two flipped bits one pair in a million is missed.
    /// </summary>
    [Fact]
    public void Twenty_bits_are_enough_to_notice_each_single_bit_of_the_largest_slot()
    {
        int capacityBytes = SizeClasses.MaxSlotBytes - BlockHeader.SizeBytes;
        int words = capacityBytes / sizeof(ulong);
        byte* payload = (byte*)NativeMemory.AlignedAlloc((nuint)capacityBytes + 8, 8);
        try
        {
            new Span<byte>(payload, capacityBytes).Clear();
            uint clean = Checksum.OfBlock(0, payload, capacityBytes) & 0xFFFFF;
            int steps = TestLeg.Steps(61, 1);
            for (int bit = 0; bit < words * 64; bit += steps)
            {
                ((ulong*)payload)[bit / 64] = 1UL << (bit % 64);
                Assert.NotEqual(clean, Checksum.OfBlock(0, payload, capacityBytes) & 0xFFFFF);
                ((ulong*)payload)[bit / 64] = 0;
            }
        }
        finally
        {
            NativeMemory.AlignedFree(payload);
        }
    }

    /// <summary>A short form must not be as long as its field of 15 bits can't say.</summary>
    [Fact]
    public void Every_payload_that_fills_its_slot_has_its_length_in_the_short_form()
    {
        foreach (int sizeClass in Enumerable.Range(0, SizeClasses.Count))
        {
            long payloadBytes = SizeClasses.SlotBytes(sizeClass) - BlockHeader.SizeBytes;
            BlockHeader header = BlockHeader.WithInlineChecksum(Kind, Generation, payloadBytes, 0xFFFFFFFF);
            Assert.Equal((payloadBytes, Kind, Generation, true, false),
                (header.PayloadBytes, header.Kind, header.Generation, header.HasInlineChecksum, header.IsBusy));
            Assert.Equal(new BlockHeader(Kind, Generation, (ulong)payloadBytes).Word, header.Plain.Word);
        }
    }

    [Fact]
    public void A_flipped_bit_in_a_page_word_is_noticed()
    {
        IEnumerable<PageWord> words =
        [
            PageWord.Unused(
                0), PageWord.Unused(77), PageWord.RunHead(3, 5), PageWord.RunHead(0xFFFFFF, PilePointer.MaxGeneration), PageWord.RunTail(9),
            .. Enumerable.Range(0, SizeClasses.Count)
                .Select(static sizeClass => PageWord.Slots(sizeClass, (uint)sizeClass * 1_001, sizeClass * 77_777L)),
        ];
        foreach (PageWord word in words)
        {
            Assert.True(word.IsIntact);
            for (int bit = 0; bit < 64; bit++)
                Assert.False(new PageWord(word.Word ^ (1UL << bit)).IsIntact, $"bit {bit} of {word.Word:x16}");
        }
        Assert.Equal(0UL, PageWord.Unused(0).Word); // untouched memory is a page that was never used
    }

    [Fact]
    public void A_flipped_bit_in_the_header_of_a_free_slot_is_noticed()
    {
        foreach (uint generation in new uint[] { 0, 1, 2, 77, 0x800000, PilePointer.MaxGeneration - 1, PilePointer.MaxGeneration })
        {
            BlockHeader free = BlockHeader.Free(generation);
            Assert.Equal((true, generation), (free.IsFree, free.Generation));
            for (int bit = 0; bit < 64; bit++)
            {
                var flipped = new BlockHeader(free.Word ^ (1UL << bit));
                bool isSame = flipped.IsFree && flipped.Word == BlockHeader.Free(flipped.Generation).Word;
                Assert.False(isSame, $"bit {bit} of a free header of generation {generation}");
            }
        }
        Assert.Equal(0UL, BlockHeader.Free(0).Word);
    }

    private static void TryFlips(int payloadBytes, int capacityBytes, bool sampled)
    {
        if (payloadBytes < 0 || !BlockChecksum.Fits(payloadBytes, capacityBytes))
            return;
        byte* block = (byte*)NativeMemory.AlignedAlloc((nuint)(capacityBytes + BlockHeader.SizeBytes), 8);
        try
        {
            var random = new Random(payloadBytes);
            Noise.Fill(new Span<byte>(block, capacityBytes + BlockHeader.SizeBytes), random.NextInt64());
            BlockHeader header = BlockChecksum.Write(block, Kind, Generation, payloadBytes, capacityBytes);
            Assert.True(IsSound(block, header, capacityBytes));
            Assert.True(IsSound(block, header.Busy.NotBusy, capacityBytes));
            for (int bit = 0; bit < 64; bit++)
            {
                if (bit != BitOperations.TrailingZeroCount(default(BlockHeader).Busy.Word)) // busy: no part of what was written
                    Assert.False(IsSound(block, new BlockHeader(header.Word ^ (1UL << bit)), capacityBytes),
                        $"{payloadBytes} of {capacityBytes}: bit {bit} of the header");
            }
            long checkedBytes = payloadBytes + BlockChecksum.TailBytesOf(header, capacityBytes);
            for (long bit = 0; bit < checkedBytes * 8; bit += sampled ? random.Next(1, (int)(checkedBytes * 8 / 200) + 2) : 1)
            {
                block[BlockHeader.SizeBytes + bit / 8] ^= (byte)(1 << (int)(bit % 8));
                Assert.False(IsSound(block, header, capacityBytes), $"{payloadBytes} of {capacityBytes}: bit {bit} of the payload");
                block[BlockHeader.SizeBytes + bit / 8] ^= (byte)(1 << (int)(bit % 8));
            }
        }
        finally
        {
            NativeMemory.AlignedFree(block);
        }
    }

    // As an inspection does; a link or a free slot that a flip makes of it is checked by other means.
    private static bool IsSound(byte* block, BlockHeader header, long capacityBytes)
    {
        if (header.IsFree)
            return header.Word == BlockHeader.Free(header.Generation).Word;
        return header.Kind != BlockKind.Link && BlockChecksum.Fits(header.PayloadBytes, capacityBytes)
            && BlockChecksum.IsIntact(block, header, capacityBytes, BlockChecksumKind.Crc32C);
    }
}
