using System;

namespace BigPile.Tests.Durability;

/// <summary>Reads that check the checksum, beside replacements in place.</summary>
public sealed class CheckedReadRaceTests : DurabilityTest
{
    private const int PayloadBytes = 30_000;
    private const int Rounds = 1_000;

    /// <summary>
    /// A checksum that is computed while the payload changes does not match. The header is the same before and after a replacement by the
    /// same length, so only the sequence tells that from damage.
    /// </summary>
    /// <param name="isFlushed">Whether the block was flushed, so that its current header is a shadow header.</param>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_checked_read_beside_replacements_of_a_link_finds_no_damage(bool isFlushed)
    {
        using Pile pile = Open(static options => options with { Checksums = PileChecksums.AtEveryRead });
        PilePointer pointer = pile.Put(new byte[100]);
        if (isFlushed)
            pile.Flush();
        byte[][] values = [new byte[PayloadBytes], new byte[PayloadBytes]];
        Array.Fill(values[1], (byte)1);
        pile.Replace(pointer, values[0]);
        SideBySide.Rounds(
            new SideBySide.Worker(Rounds, round => pile.Replace(pointer, values[round & 1])),
            new SideBySide.Worker(Rounds, _ => Assert.Equal(-1, MixedAt(pile.Get<byte[]>(pointer)!))));
    }

    // Where the bytes of two replacements meet; -1: nowhere.
    private static int MixedAt(byte[] value) => value.AsSpan().IndexOfAnyExcept(value[0]);
}
