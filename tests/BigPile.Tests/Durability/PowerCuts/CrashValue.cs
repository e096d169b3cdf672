using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability.PowerCuts;

/// <summary>Objects of all sizes that blocks have: slots, runs of pages, and seldom a segment of its own.</summary>
internal static class CrashValue
{
    private const int SegmentBytes = 4 << 20;

    internal static object New(Random random)
    {
        int length = random.Next(100) switch
        {
            < 45 => random.Next(60),
            < 75 => random.Next(60, 700),
            < 90 => random.Next(700, 9_000),
            < 94 => random.Next(9_000, 40_000),
            < 99 => random.Next(40_000, 150_000),
            _ => random.Next(25) == 0 ? SegmentBytes : random.Next(200_000, 400_000),
        };
        return New(random, length);
    }

    internal static object New(Random random, int length) => random.Next(10) switch
    {
        < 3 when length < 10_000 => new string((char)('a' + random.Next(26)), length) + random.Next(),
        3 => new List<int> { random.Next(), random.Next(), length },
        _ => NewBytes(random, length),
    };

    internal static byte[] NewBytes(Random random, int length) => Noise.Of(length, random.NextInt64());

    internal static int SizeOf(object value) => value is byte[] bytes ? bytes.Length : value is string text ? text.Length : 12;

    internal static bool AreEqual(object? one, object? other) => (one, other) switch
    {
        (byte[] a, byte[] b) => a.AsSpan().SequenceEqual(b),
        (List<int> a, List<int> b) => a.SequenceEqual(b),
        _ => Equals(one, other),
    };
}
