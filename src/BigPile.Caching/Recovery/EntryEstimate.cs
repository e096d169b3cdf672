using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.Recovery;

/// <summary>
/// Estimates how many entries of each table a walk will find, from samples: parts that are spread over the pile, and walked first.
/// </summary>
/// <remarks>
/// The estimate is a lower bound: two standard errors below the expected number. The standard error follows from the differences of
/// neighbouring samples (Wolter 1984, on systematic samples). So the bound is close for a table that fills a large part of the pile, and 0
/// for one that a few samples met by chance: an index must not be large for nothing.
/// Thread safety: samples may be added concurrently.
/// </remarks>
internal sealed class EntryEstimate
{
    private const int FewestSamples = 64;
    private const int MostSamples = 512;
    private const int MostPartsPerSample = 32;
    private const double StandardErrors = 2;
    private const uint Scatter = 2654435769; // 2^32 / golden ratio: its multiples modulo 2^32 are spread evenly

    private readonly int _parts;
    private readonly int _partsPerSample; // one part of so many is a sample
    private readonly IReadOnlyDictionary<int, int>?[] _samples; // by sample: entries by table id; null: missing
    private int _missing; // samples that are missing

    /// <summary>Chooses the samples from a number of parts; none if there are few.</summary>
    internal EntryEstimate(int parts)
    {
        _parts = parts;
        _partsPerSample = Math.Max(Math.Min(parts / FewestSamples, MostPartsPerSample), parts / MostSamples);
        _samples = new IReadOnlyDictionary<int, int>?[_partsPerSample > 1 ? parts / _partsPerSample : 0];
        _missing = _samples.Length;
    }

    /// <summary>The numbers of all parts: the samples first.</summary>
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

    /// <summary>The number of a part's sample; -1: it is none.</summary>
    internal int SampleOf(int part)
    {
        int sample = _samples.Length == 0 ? 0 : part / _partsPerSample;
        return sample < _samples.Length && PartOf(sample) == part ? sample : -1;
    }

    /// <summary>Adds the result of a sample.</summary>
    /// <param name="sample">The sample.</param>
    /// <param name="found">The number of its entries, by table id.</param>
    /// <returns>Whether it was the last one that was missing: true once only.</returns>
    internal bool Add(int sample, IReadOnlyDictionary<int, int> found) =>
        Interlocked.Exchange(ref _samples[sample], found) == null && Interlocked.Decrement(ref _missing) == 0;

    /// <summary>The lower bound of each table's entries. All samples were added.</summary>
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

    /// <summary>The sums over the samples of a table.</summary>
    /// <param name="End">One past the last sample with entries.</param>
    /// <param name="Last">The entries of that sample.</param>
    /// <param name="Entries">The entries of all samples.</param>
    /// <param name="SquaredDifferences">The sum of the squared differences of neighbouring samples.</param>
    private readonly record struct Sums(int End, int Last, double Entries, double SquaredDifferences)
    {
        // Samples between End and this one have no entries. The first sample has no neighbour before it.
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
