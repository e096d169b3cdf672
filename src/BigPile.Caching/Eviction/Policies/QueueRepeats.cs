using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>Drops what is in a queue more often than entries have it: keys that were removed and put again.</summary>
/// <remarks>
/// A check that looks at one place finds the entry there, and cannot know that another place has it too. So all of the queue is read at
/// once: with a bit for each eighth of a place it finds what may be there twice, and counts that. It takes a few nanoseconds a place, and
/// a bounded number of repeated fingerprints at once, so no put waits for long.
/// </remarks>
internal static class QueueRepeats
{
    private const int MostAtOnce = 1 << 14; // repeated fingerprints: each costs a look into the index
    private const int BitsPerPlace = 8;
    private const int BitsPerWord = 64;

    /// <summary>Drops the oldest places of each fingerprint that has more of them than entries.</summary>
    /// <param name="queue">The queue.</param>
    /// <param name="countOf">The entries that a fingerprint has in this queue. Takes locks of buckets.</param>
    internal static void Drop(HashQueue queue, Func<uint, int> countOf)
    {
        Dictionary<uint, int> surplus = CountRepeated(queue);
        foreach (uint hash in surplus.Keys.ToArray())
            surplus[hash] -= countOf(hash);
        for (long left = surplus.Count == 0 ? 0 : queue.Count; left > 0; left--)
        {
            uint hash = queue.Pop();
            ref int more = ref CollectionsMarshal.GetValueRefOrNullRef(surplus, hash);
            if (Unsafe.IsNullRef(ref more) || more <= 0)
                queue.Push(hash);
            else
                more--;
        }
    }

    // The places of each fingerprint that may have several.
    private static Dictionary<uint, int> CountRepeated(HashQueue queue)
    {
        var seen = new ulong[queue.Count * BitsPerPlace / BitsPerWord + 1];
        var places = new Dictionary<uint, int>();
        queue.ForEach(hash =>
        {
            ulong mixed = hash * 0x9E3779B97F4A7C15UL;
            ref ulong word = ref seen[(int)((mixed >> 32) * (ulong)seen.Length >> 32)];
            ulong bit = 1UL << (int)(mixed % BitsPerWord);
            if ((word & bit) != 0 && places.Count < MostAtOnce)
                places[hash] = 0;
            word |= bit;
        });
        queue.ForEach(hash =>
        {
            ref int count = ref CollectionsMarshal.GetValueRefOrNullRef(places, hash);
            if (!Unsafe.IsNullRef(ref count))
                count++;
        });
        return places;
    }
}
