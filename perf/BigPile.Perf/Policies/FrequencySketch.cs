using System;
using System.Numerics;

namespace BigPile.Perf.Policies;

/// <summary>About how often each key came lately: 4-bit counters that keys share, of which all are halved from time to time.</summary>
/// <remarks>
/// A count-min sketch of 16 counters an entry. A key has four counters, in one line of 64 bytes, each in another quarter of it; the
/// smallest of them is the estimate. After ten additions an entry all are halved. Einziger and others, "TinyLFU" (ACM ToS 2017), in the
/// layout that Caffeine has.
/// </remarks>
internal sealed class FrequencySketch
{
    private const int Rows = 4;
    private const int WordsOfLine = 8;
    private const int AdditionsAnEntry = 10;
    private const int Largest = 15;
    private const ulong Halves = 0x7777_7777_7777_7777;
    private const ulong Ones = 0x1111_1111_1111_1111;
    private const ulong Scatter = 0x9E37_79B9_7F4A_7C15;

    private readonly ulong[] _words;
    private readonly uint _lastLine;
    private readonly ulong _seed;
    private readonly long _additionsOfSample;
    private long _additions;

    internal FrequencySketch(int entries, int seed)
    {
        int words = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(entries, WordsOfLine));
        _words = new ulong[words];
        _lastLine = (uint)(words / WordsOfLine - 1);
        _seed = (ulong)seed * Scatter;
        _additionsOfSample = (long)AdditionsAnEntry * Math.Max(entries, WordsOfLine);
    }

    /// <summary>About how often a key came, from 0 to 15; more than it did where it shares its counters.</summary>
    internal int Estimate(int key)
    {
        ulong hash = Hash(key);
        int smallest = Largest;
        for (int row = 0; row < Rows; row++)
        {
            int word = WordOf(hash, row, out int shift);
            smallest = Math.Min(smallest, (int)(_words[word] >> shift) & Largest);
        }
        return smallest;
    }

    /// <summary>A key came.</summary>
    internal void Add(int key)
    {
        ulong hash = Hash(key);
        bool isAdded = false;
        for (int row = 0; row < Rows; row++)
        {
            int word = WordOf(hash, row, out int shift);
            if (((_words[word] >> shift) & Largest) == Largest)
                continue;
            _words[word] += 1UL << shift;
            isAdded = true;
        }
        if (isAdded && ++_additions == _additionsOfSample)
            Halve();
    }

    private void Halve()
    {
        long lost = 0;
        for (int i = 0; i < _words.Length; i++)
        {
            lost += BitOperations.PopCount(_words[i] & Ones);
            _words[i] = (_words[i] >> 1) & Halves;
        }
        _additions = Math.Max(0, (_additions - lost / Rows) / 2);
    }

    // The low half of the hash tells the line, and eight bits for each row the word and the counter in it.
    private int WordOf(ulong hash, int row, out int shift)
    {
        int place = (int)(hash >> 32 + 8 * row);
        shift = ((place >> 1) & Largest) * 4;
        return (int)((uint)hash & _lastLine) * WordsOfLine + row * 2 + (place & 1);
    }

    private ulong Hash(int key)
    {
        ulong hash = ((ulong)key + _seed + 1) * Scatter;
        hash = (hash ^ (hash >> 32)) * 0xD6E8_FEB8_6659_FD93;
        return hash ^ (hash >> 32);
    }
}
