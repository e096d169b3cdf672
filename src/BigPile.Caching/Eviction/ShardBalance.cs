using System;
using System.Threading;

namespace BigPile.Caching.Eviction;

/// <summary>Balances the shards of an evictor: which are poor, with clearly less weight than the mean, and which one is richest.</summary>
/// <remarks>
/// A new entry replaces entries of its own shard. If weights differ, the freed rest goes to the next entry of any shard, so the share of
/// each shard would drift at random, down to nothing. So new entries of a poor shard replace entries of the richest one, until it has its
/// share. Thread safety: all members may be called concurrently; the results may be slightly out of date.
/// </remarks>
internal sealed class ShardBalance
{
    private const double LeastShare = 0.8;
    private const int MostShift = 16;

    private int _state; // bits 15..0: the poor shards; bits 31..16: number of the richest; any thread writes

    /// <summary>Whether a shard is poor; and which one is the richest.</summary>
    internal bool IsPoor(int shard, out int richest)
    {
        int state = Volatile.Read(ref _state);
        richest = state >> MostShift;
        return (state & (1 << shard)) != 0;
    }

    /// <summary>Compares the weights of the shards anew.</summary>
    internal void Update(EvictionShard[] shards)
    {
        Span<double> weights = stackalloc double[shards.Length];
        double sum = 0;
        int richest = 0;
        for (int i = 0; i < shards.Length; i++)
        {
            sum += weights[i] = shards[i].Weight;
            richest = weights[i] > weights[richest] ? i : richest;
        }
        int poor = 0;
        for (int i = 0; i < shards.Length; i++)
            poor |= weights[i] * shards.Length < LeastShare * sum ? 1 << i : 0;
        Volatile.Write(ref _state, (richest << MostShift) | poor);
    }
}
