using System.Threading;

namespace BigPile.Server.Hosting;

/// <summary>Selects the reads to log: every n-th, or none.</summary>
/// <param name="oneIn">Logs one read in this many; 0: none.</param>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReadSampler(int oneIn)
{
    private long _count;

    /// <summary>Whether any read is logged.</summary>
    internal bool IsOn => oneIn != 0;

    /// <summary>Counts a read, and decides whether to log it.</summary>
    /// <returns>Whether to log it.</returns>
    internal bool Take() => oneIn == 1 || (oneIn != 0 && Interlocked.Increment(ref _count) % oneIn == 1);
}
