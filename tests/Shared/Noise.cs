using System;
using System.Runtime.InteropServices;

namespace BigPile.Testing;

/// <summary>Bytes that no other seed gives, eight at a time: a seeded <see cref="Random"/> takes several ns for each.</summary>
/// <remarks>Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014 (SplitMix64).</remarks>
internal static class Noise
{
    private const ulong Step = 0x9E3779B97F4A7C15;

    internal static byte[] Of(int lengthBytes, long seed)
    {
        var bytes = new byte[lengthBytes];
        Fill(bytes, seed);
        return bytes;
    }

    internal static void Fill(Span<byte> bytes, long seed)
    {
        ulong state = Mixed((ulong)seed + Step);
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (ref ulong word in words)
            word = Mixed(state += Step);
        Span<byte> rest = bytes[(words.Length * sizeof(ulong))..];
        ulong last = Mixed(state + Step);
        MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in last))[..rest.Length].CopyTo(rest);
    }

    private static ulong Mixed(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }
}
