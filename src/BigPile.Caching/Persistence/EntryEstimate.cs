using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.Persistence;

/// <summary>
/// Estimates how many entries a walk will find of each table by some of its parts, spread over all of them, that it goes through first.
/// </summary>
/// <remarks>
/// What comes of it is a number that there hardly are fewer of: two standard errors below the likeliest, as they follow from how much each
/// sample differs from the one beside it (Wolter 1984, on systematic samples). So it is near the truth for a table that lies everywhere, or
/// in a large part of the pile, and nothing for one that a few samples came upon by chance: an index must not be large for nothing.
/// Thread safety: samples may be added concurrently.
/// </remarks>
internal sealed class EntryEstimate
{
    private const int FewestSamples = 64;
    private const int MostSamples = 512;
    private const int MostPartsPerSample = 32;
    private const double StandardErrors = 2;
    private const uint Scatter = 2654435769; // 2^32 divided by the golden ratio: its multiples lie everywhere between

    private readonly int _parts;
    private readonly int _partsPerSample;
    private readonly IReadOnlyDictionary<int, int>?[] _samples;
    private int _missing;

    /// <summary>Chooses the samples from a number of parts; none where there are few.</summary>
    internal EntryEstimate(int parts)
    {
        _parts = parts;
        _partsPerSample = Math.Max(Math.Min(parts / FewestSamples, MostPartsPerSample), parts / MostSamples);
        _samples = new IReadOnlyDictionary<int, int>?[_partsPerSample > 1 ? parts / _partsPerSample : 0];
        _missing = _samples.Length;
    }

    /// <summary>The numbers of the parts, each once: the samples, and then the others.</summary>
    internal IEnumerable<int> Order()
    {
        for (int sample = 0; sample < _samples.Length; sample++)
            yield return PartOf(sample);
        for (int part = 0; part < _parts; part++)
        {
            if (SampleOf(part) < 0)
                yield return part;
        }
    }

    /// <summary>The sample that a part is; -1 when it is none.</summary>
    internal int SampleOf(int part)
    {
        int sample = _samples.Length == 0 ? 0 : part / _partsPerSample;
        return sample < _samples.Length && PartOf(sample) == part ? sample : -1;
    }

    /// <summary>Adds what was found in a sample.</summary>
    /// <param name="sample">The sample.</param>
    /// <param name="found">How many entries, by the ids of their tables.</param>
    /// <returns>Whether it was the last one that was missing.</returns>
    internal bool Add(int sample, IReadOnlyDictionary<int, int> found) =>
        Interlocked.Exchange(ref _samples[sample], found) == null && Interlocked.Decrement(ref _missing) == 0;

    /// <summary>The ids of tables, and of each how many entries there are at the least. All samples were added.</summary>
    internal IEnumerable<(int TableId, long Entries)> Least()
    {
        var sums = new Dictionary<int, Sums>();
        for (int sample = 0; sample < _samples.Length; sample++)
        {
            foreach ((int id, int found) in _samples[sample]!)
                sums[id] = sums.GetValueOrDefault(id).With(sample, found);
        }
        foreach ((int id, Sums sum) in sums)
            yield return (id, (long)Math.Max(0, _partsPerSample * sum.Least(_samples.Length)));
    }

    private int PartOf(int sample) => sample * _partsPerSample + (int)((ulong)((uint)sample * Scatter) * (uint)_partsPerSample >> 32);

    /// <summary>What the samples of a table add up to.</summary>
    private readonly record struct Sums(int End, int Last, double Entries, double SquaredDifferences)
    {
        // Of those between there is nothing, and the first of all differs from none.
        internal Sums With(int sample, int found) => new(
            sample + 1, found, Entries + found,
            SquaredDifferences + (sample == 0 ? 0 : sample == End ? Square(found - Last) : Square(found) + Square(Last)));

        internal double Least(int samples)
        {
            double differences = SquaredDifferences + (End == samples ? 0 : Square(Last));
            return Entries - StandardErrors * Math.Sqrt(differences / 2);
        }

        private static double Square(double value) => value * value;
    }
}
