using System.Collections.Generic;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>How many responses of each status were given.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RequestCounts
{
    private const int Lowest = 100;
    private const int Highest = 599;

    private readonly long[] _counts = new long[Highest - Lowest + 1];

    /// <summary>Counts a response.</summary>
    /// <param name="status">Its status; one that is none is counted as 599.</param>
    internal void Add(int status) => Interlocked.Increment(ref _counts[(status is < Lowest or > Highest ? Highest : status) - Lowest]);

    /// <summary>Those that were given.</summary>
    internal IEnumerable<(int Status, long Count)> All()
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            long count = Interlocked.Read(ref _counts[i]);
            if (count != 0)
                yield return (i + Lowest, count);
        }
    }
}
