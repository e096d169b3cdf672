using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Tests.Policies;

/// <summary>Policies as plainly as they can be written, to compare with.</summary>
internal static class NaivePolicies
{
    private const int Taken = -1; // in a diary: its key was put again since

    /// <summary>Least recently used, over a list; a key weighs what is said.</summary>
    internal static Func<int, bool> Lru(long capacity, Func<int, long> weigh)
    {
        var keys = new List<int>();
        return key =>
        {
            bool isHit = keys.Remove(key);
            if (weigh(key) > capacity)
                return false;
            while (keys.Sum(weigh) + weigh(key) > capacity)
                keys.RemoveAt(0);
            keys.Add(key);
            return isHit;
        };
    }

    /// <summary>S3-FIFO, over lists; the ghosts are a diary of all that left the small queue.</summary>
    internal static Func<int, bool> S3Fifo(int capacity)
    {
        int smallest = Math.Max(1, capacity / 10);
        int ghosts = Math.Max(1, (int)(capacity * 0.9));
        var small = new List<int>();
        var main = new List<int>();
        var uses = new Dictionary<int, int>();
        List<int> diary = [];
        return key =>
        {
            if (uses.TryGetValue(key, out int used))
            {
                uses[key] = Math.Min(3, used + 1);
                return true;
            }
            while (small.Count + main.Count >= capacity)
            {
                if (small.Count < smallest && main.Count > 0)
                    StepMain();
                else
                    StepSmall();
            }
            bool isGhost = diary.LastIndexOf(key) is >= 0 and int last && diary.Count - 1 - last < ghosts;
            diary = [.. diary.Select(old => old == key ? Taken : old)];
            (isGhost ? main : small).Add(key);
            uses[key] = 0;
            return false;
        };

        void StepSmall()
        {
            int key = small[0];
            small.RemoveAt(0);
            if (uses[key] < 2)
            {
                uses.Remove(key);
                diary.Add(key);
                return;
            }
            uses[key] = 0;
            main.Add(key);
            while (main.Count > capacity - smallest)
                StepMain();
        }

        void StepMain()
        {
            int key = main[0];
            main.RemoveAt(0);
            if (uses[key] == 0)
            {
                uses.Remove(key);
                return;
            }
            uses[key]--;
            main.Add(key);
        }
    }

    /// <summary>The most hits that any choice of victims has, by trying all; each missing key is put.</summary>
    internal static int MostHits(int[] accesses, int capacity)
    {
        var known = new Dictionary<(int Position, int Resident), int>();
        return From(0, 0);

        int From(int position, int resident)
        {
            if (position == accesses.Length)
                return 0;
            if (known.TryGetValue((position, resident), out int best))
                return best;
            int bit = 1 << accesses[position];
            if ((resident & bit) != 0)
                best = 1 + From(position + 1, resident);
            else if (int.PopCount(resident) < capacity)
                best = From(position + 1, resident | bit);
            else
                best = Bits(resident).Max(victim => From(position + 1, (resident & ~victim) | bit));
            return known[(position, resident)] = best;
        }
    }

    private static IEnumerable<int> Bits(int set) => Enumerable.Range(0, 31).Select(static i => 1 << i).Where(bit => (set & bit) != 0);
}
