using System;
using System.Linq;
using System.Runtime.CompilerServices;

namespace BigPile.Benchmarks;

/// <summary>Numbers in random order, for ever the same round: each benchmark that asks goes the same way.</summary>
/// <remarks>For one thread. A round is read in sequence, so what it costs is the same on both sides, and small.</remarks>
internal sealed class Shuffled
{
    private readonly int[] _numbers;
    private int _next;

    /// <summary>Makes a round.</summary>
    /// <param name="limit">One past the largest number.</param>
    /// <param name="length">How many numbers come before the first comes again.</param>
    internal Shuffled(int limit, int length = 1 << 20)
    {
        var random = new Random(limit);
        _numbers = [.. Enumerable.Range(0, length).Select(_ => random.Next(limit))];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Next()
    {
        int next = _next;
        _next = next + 1 == _numbers.Length ? 0 : next + 1;
        return _numbers[next];
    }
}
