using System.Collections.Generic;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>Counts responses by status.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RequestCounts
{
    private const int Lowest = 100;
    private const int Highest = 599;

    private readonly long[] _counts = new long[Highest - Lowest + 1];

    /// <summary>Counts a response.</summary>
    /// <param name="status">The status; one outside 100 to 599 counts as 599.</param>
    internal void Add(int status) => Interlocked.Increment(ref _counts[(status is < Lowest or > Highest ? Highest : status) - Lowest]);

    /// <summary>The statuses with at least one response.</summary>
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
