using System;
using System.Runtime.CompilerServices;

namespace BigPile.Perf.Loads;

/// <summary>Random numbers below a limit, for one thread: the generator xorshift64* of S. Vigna (arXiv 1402.6246).</summary>
/// <remarks>A few cycles each, less than the cache miss that the number causes.</remarks>
internal struct RandomOrder
{
    private readonly ulong _limit;
    private ulong _state;

    /// <summary>Starts a sequence.</summary>
    /// <param name="seed">Any number; another sequence for each.</param>
    /// <param name="limit">The exclusive upper bound, from 1.</param>
    internal RandomOrder(int seed, long limit)
    {
        _limit = (ulong)limit;
        _state = ((ulong)(uint)seed + 1) * 0x9E3779B97F4A7C15; // an odd factor maps only 0 to 0, where the generator would stay
    }

    /// <summary>The next number, from 0; for limits of an <see cref="int"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Next() => (int)((Advance() >> 32) * _limit >> 32);

    /// <summary>The next number, from 0; for any limit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long NextLong() => (long)Math.BigMul(Advance(), _limit, out _);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Advance()
    {
        ulong state = _state;
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        _state = state;
        return state * 0x2545F4914F6CDD1D;
    }
}
