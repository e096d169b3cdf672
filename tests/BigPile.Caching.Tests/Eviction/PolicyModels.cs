using System;
using System.Collections.Generic;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Plain simulations of known policies, to compare a table with.</summary>
internal static class PolicyModels
{
    /// <summary>The hit ratio of the optimal policy, which knows the future accesses (Belady).</summary>
    internal static double Optimum(ReadOnlySpan<int> keys, int capacity)
    {
        int[] next = NextUses(keys);
        var uses = new SortedSet<(int Next, int Key)>();
        var nextOf = new Dictionary<int, int>();
        int hits = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            int key = keys[i];
            if (nextOf.Remove(key, out int due))
            {
                hits++;
                uses.Remove((due, key));
            }
            else if (uses.Count == capacity)
            {
                nextOf.Remove(uses.Max.Key);
                uses.Remove(uses.Max);
            }
            nextOf.Add(key, next[i]);
            uses.Add((next[i], key));
        }
        return (double)hits / keys.Length;
    }

    /// <summary>The hit ratios of a least-recently-used cache, by accesses and by weight.</summary>
    internal static (double Requests, double Weights) Lru(ReadOnlySpan<int> keys, long capacity, Func<int, int>? weightOf = null)
    {
        var order = new LinkedList<int>();
        var nodes = new Dictionary<int, LinkedListNode<int>>();
        (long Hits, long HitWeight, long Weight, long All) = (0, 0, 0, 0);
        foreach (int key in keys)
        {
            int weight = weightOf?.Invoke(key) ?? 1;
            All += weight;
            if (nodes.TryGetValue(key, out LinkedListNode<int>? node))
            {
                Hits++;
                HitWeight += weight;
                order.Remove(node);
                order.AddFirst(node);
                continue;
            }
            for (Weight += weight; Weight > capacity; order.RemoveLast())
            {
                int oldest = order.Last!.Value;
                nodes.Remove(oldest);
                Weight -= weightOf?.Invoke(oldest) ?? 1;
            }
            nodes.Add(key, order.AddFirst(key));
        }
        return ((double)Hits / keys.Length, (double)HitWeight / All);
    }

    /// <summary>The hit ratio of S3-FIFO, with a small queue of a tenth and ghosts of nine tenths.</summary>
    internal static double S3Fifo(ReadOnlySpan<int> keys, int capacity)
    {
        int smallTarget = Math.Max(1, capacity / 10);
        var (small, main, uses, ghosts) = (new Queue<int>(), new Queue<int>(), new Dictionary<int, int>(), new Dictionary<int, int>());
        int evicted = 0;
        int hits = 0;
        foreach (int key in keys)
        {
            if (uses.TryGetValue(key, out int count))
            {
                hits++;
                uses[key] = Math.Min(3, count + 1);
                continue;
            }
            while (uses.Count >= capacity)
            {
                bool isSmall = small.Count >= smallTarget || main.Count == 0;
                int oldest = (isSmall ? small : main).Dequeue();
                if (uses[oldest] >= (isSmall ? 2 : 1))
                {
                    uses[oldest] = isSmall ? 0 : uses[oldest] - 1;
                    main.Enqueue(oldest);
                    continue;
                }
                uses.Remove(oldest);
                if (isSmall)
                    ghosts[oldest] = ++evicted;
            }
            bool isGhost = ghosts.Remove(key, out int at) && evicted - at < capacity * 9 / 10;
            (isGhost ? main : small).Enqueue(key);
            uses[key] = 0;
        }
        return (double)hits / keys.Length;
    }

    private static int[] NextUses(ReadOnlySpan<int> keys)
    {
        int[] next = new int[keys.Length];
        var last = new Dictionary<int, int>();
        for (int i = keys.Length - 1; i >= 0; i--)
        {
            next[i] = last.TryGetValue(keys[i], out int at) ? at : keys.Length + keys[i];
            last[keys[i]] = i;
        }
        return next;
    }
}
