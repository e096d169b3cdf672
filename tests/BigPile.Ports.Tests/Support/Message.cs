using System;
using System.Runtime.InteropServices;

namespace BigPile.Ports.Tests;

/// <summary>A payload of which each word follows from its number: whatever else is mixed in is found.</summary>
internal static class Message
{
    internal static void Fill(Span<byte> payload, long number)
    {
        Span<long> words = MemoryMarshal.Cast<byte, long>(payload);
        for (int i = 0; i < words.Length; i++)
            words[i] = WordOf(number, words.Length, i);
        words[0] = number;
    }

    /// <summary>The number of a whole message; -1 of another one.</summary>
    internal static long NumberOf(ReadOnlySpan<byte> payload)
    {
        ReadOnlySpan<long> words = MemoryMarshal.Cast<byte, long>(payload);
        if (words.Length == 0)
            return -1;
        for (int i = 1; i < words.Length; i++)
        {
            if (words[i] != WordOf(words[0], words.Length, i))
                return -1;
        }
        return words[0];
    }

    private static long WordOf(long number, int words, int index) => (number * 0x5DEECE66D) + (words * 131L) + index;
}
