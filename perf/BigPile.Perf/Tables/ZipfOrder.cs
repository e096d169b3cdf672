using System;

namespace BigPile.Perf.Tables;

/// <summary>Zipf-distributed numbers: the k-th most frequent comes in proportion to 1 / k^s. For one thread.</summary>
/// <remarks>
/// The method of Gray and others, "Quickly generating billion-record synthetic databases" (SIGMOD 1994); the ranks are scattered over all
/// numbers, so that frequent ones are not neighbours.
/// </remarks>
internal sealed class ZipfOrder
{
    private const int ExactTerms = 10_000;
    private const ulong Scatter = 0x9E3779B97F4A7C15;

    private readonly int _limit;
    private readonly double _skew;
    private readonly double _zeta;
    private readonly double _firstTwo;
    private readonly double _alpha;
    private readonly double _eta;
    private readonly Random _random;

    /// <summary>Starts a sequence.</summary>
    /// <param name="seed">Any number; another sequence for each.</param>
    /// <param name="limit">One past the largest number that comes, from 1.</param>
    /// <param name="skew">From 0; 1 is taken for a little less.</param>
    internal ZipfOrder(int seed, int limit, double skew)
    {
        _limit = limit;
        _skew = Math.Abs(skew - 1) < 0.001 ? 0.999 : skew;
        _random = new Random(seed);
        _zeta = Zeta(limit, _skew);
        _firstTwo = 1 + Math.Pow(0.5, _skew);
        _alpha = 1 / (1 - _skew);
        _eta = (1 - Math.Pow(2.0 / limit, 1 - _skew)) / (1 - Zeta(2, _skew) / _zeta);
    }

    internal int Next()
    {
        if (_skew == 0)
            return _random.Next(_limit);
        double share = _random.NextDouble();
        double scaled = share * _zeta;
        if (scaled < 1)
            return ScatterRank(0);
        if (scaled < _firstTwo)
            return ScatterRank(1);
        return ScatterRank((long)(_limit * Math.Pow(Math.Max(0, _eta * share - _eta + 1), _alpha)));
    }

    private int ScatterRank(long rank) =>
        (int)((ulong)Math.Clamp(rank, 0, _limit - 1) * Scatter % (ulong)_limit);

    // The sum of 1 / k^s: some terms exactly, and the rest by its integral.
    private static double Zeta(int count, double skew)
    {
        double sum = 0;
        int exact = Math.Min(count, ExactTerms);
        for (int k = 1; k <= exact; k++)
            sum += Math.Pow(k, -skew);
        if (count > exact)
            sum += (Math.Pow(count, 1 - skew) - Math.Pow(exact, 1 - skew)) / (1 - skew);
        return sum;
    }
}
