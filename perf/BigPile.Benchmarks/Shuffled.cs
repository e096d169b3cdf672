using System;
using System.Linq;
using System.Runtime.CompilerServices;

namespace BigPile.Benchmarks;

/// <summary>Numbers in random order, in an endless fixed cycle, so that each benchmark uses the same order.</summary>
/// <remarks>For one thread. The cycle is read in sequence, so its cost is small and the same on both sides.</remarks>
internal sealed class Shuffled
{
    private readonly int[] _numbers;
    private int _next;

    /// <summary>Creates a cycle.</summary>
    /// <param name="limit">One past the largest number.</param>
    /// <param name="length">The length of the cycle.</param>
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
