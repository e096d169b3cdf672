using System.Numerics;

namespace BigPile.Perf.Policies;

/// <summary>
/// A set of numbers below a limit that finds its largest quickly: a bitmap, and above it bitmaps of the words that are not 0.
/// </summary>
internal sealed class PositionSet
{
    private const int BitsOfWord = 6;
    private const int WordMask = (1 << BitsOfWord) - 1;

    private readonly ulong[][] _levels; // from the numbers' own bits to a single word

    internal PositionSet(int limit)
    {
        int levels = 1;
        for (int bits = limit - 1 >> BitsOfWord; bits > 0; bits >>= BitsOfWord)
            levels++;
        _levels = new ulong[levels][];
        for (int i = 0; i < levels; i++)
            _levels[i] = new ulong[(limit - 1 >> BitsOfWord * (i + 1)) + 1];
    }

    internal bool IsEmpty => _levels[^1][0] == 0;

    /// <summary>The largest number; the set is not empty.</summary>
    internal int Max
    {
        get
        {
            int found = 0;
            for (int i = _levels.Length - 1; i >= 0; i--)
                found = found << BitsOfWord | BitOperations.Log2(_levels[i][found]);
            return found;
        }
    }

    internal void Add(int number)
    {
        foreach (ulong[] level in _levels)
        {
            level[number >> BitsOfWord] |= 1UL << (number & WordMask);
            number >>= BitsOfWord;
        }
    }

    internal void Remove(int number)
    {
        foreach (ulong[] level in _levels)
        {
            ulong left = level[number >> BitsOfWord] &= ~(1UL << (number & WordMask));
            if (left != 0)
                return;
            number >>= BitsOfWord;
        }
    }
}
