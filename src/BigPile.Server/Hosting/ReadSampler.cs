using System.Threading;

namespace BigPile.Server.Hosting;

/// <summary>Says which reads of entries are logged: every so many-th, or none.</summary>
/// <param name="oneIn">Of how many reads one is logged; 0: none is.</param>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReadSampler(int oneIn)
{
    private long _count;

    /// <summary>Whether any read is logged.</summary>
    internal bool IsOn => oneIn != 0;

    /// <summary>Counts a read.</summary>
    /// <returns>Whether it is one to log.</returns>
    internal bool Take() => oneIn == 1 || (oneIn != 0 && Interlocked.Increment(ref _count) % oneIn == 1);
}
