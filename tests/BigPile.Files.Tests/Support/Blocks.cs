using System;
using System.Runtime.InteropServices;

namespace BigPile.Files.Tests;

/// <summary>Blocks that say themselves whether they are whole, and which they are.</summary>
internal static class Blocks
{
    internal const int Bytes = 96;

    internal static void Fill(Span<byte> block, long number, long version)
    {
        Span<long> words = MemoryMarshal.Cast<byte, long>(block);
        for (int i = 0; i < words.Length; i++)
            words[i] = Word(number, version, i);
    }

    internal static void Check(ReadOnlySpan<byte> block, long number, long version)
    {
        ReadOnlySpan<long> words = MemoryMarshal.Cast<byte, long>(block);
        for (int i = 0; i < words.Length; i++)
        {
            if (words[i] != Word(number, version, i))
                Assert.Fail($"Block {number}, version {version}: word {i} is {words[i]:X}.");
        }
    }

    // Never zero, and different in each place of each version.
    private static long Word(long number, long version, int index) =>
        ((number * 1_000_003 + version) * 1_000_003 + index) * unchecked((long)0x9E37_79B9_7F4A_7C15) | 1;
}
