using System.Runtime.CompilerServices;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Sequences;

/// <summary>The numbers of a worker's records: dealt out in turns, or drawn at random.</summary>
/// <remarks>A batch gives the same numbers in each phase, so that what is read was written, also where they are drawn.</remarks>
internal struct SequenceOrder
{
    private readonly long _step;
    private readonly bool _isRandom;
    private RandomOrder _random;
    private long _next;

    /// <summary>Starts a batch.</summary>
    /// <param name="options">How many records, by how many threads.</param>
    /// <param name="worker">Whose batch it is.</param>
    /// <param name="start">The first of the worker's records in it.</param>
    /// <param name="unit">What lies between the numbers of two records: 1, or a record's bytes. Drawn numbers may lie between.</param>
    internal SequenceOrder(SequenceOptions options, Worker worker, int start, int unit)
    {
        _step = (long)options.Threads * unit;
        _next = (start - worker.Start) * _step + (long)worker.Index * unit;
        _isRandom = options.IsRandom;
        _random = new RandomOrder(seed: start, limit: (options.Count - 1L) * unit + 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Next()
    {
        if (_isRandom)
            return _random.NextLong();
        long number = _next;
        _next = number + _step;
        return number;
    }
}
