using System;
using System.Threading;

namespace BigPile.Caching.Eviction;

/// <summary>Which shards of an evictor have too little, and which one has most.</summary>
/// <remarks>
/// A new entry takes the place of others of its own shard. Where they do not weigh the same, what is left over goes to whoever comes next,
/// so that what a shard has would go up and down by chance, down to nothing. So one that has clearly less than the mean takes its room
/// from the one that has most, until it has its share. Thread safety: all members may be called
/// concurrently; what they say may be a little old.
/// </remarks>
internal sealed class ShardBalance
{
    private const double LeastShare = 0.8;
    private const int MostShift = 16;

    private int _state; // a bit for each shard that has too little, and above them the number of the one that has most

    /// <summary>Whether a shard has too little; and which one has most.</summary>
    internal bool IsPoor(int shard, out int richest)
    {
        int state = Volatile.Read(ref _state);
        richest = state >> MostShift;
        return (state & (1 << shard)) != 0;
    }

    /// <summary>Looks anew.</summary>
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
