using System;
using System.Numerics;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>A counter that processors do not fight for: each adds to a place of its own, and reading sums them up.</summary>
internal sealed class StripedCounter
{
    private const int LongsPerLine = 8;

    private readonly long[] _places = new long[(int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount) * LongsPerLine * 2];

    internal long Sum
    {
        get
        {
            long sum = 0;
            for (int i = LongsPerLine; i < _places.Length; i += LongsPerLine * 2)
                sum += Interlocked.Read(ref _places[i]);
            return sum;
        }
    }

    internal void Increment()
    {
        int place = Thread.GetCurrentProcessorId() * LongsPerLine * 2 & (_places.Length - 1);
        Interlocked.Increment(ref _places[place + LongsPerLine]);
    }
}
