using System;
using System.Collections.Generic;
using System.Globalization;

namespace BigPile.Perf.Standard;

/// <summary>The free resources of the machine, from which the sizes of the standard set are chosen.</summary>
/// <param name="memoryBytes">The memory that is free.</param>
/// <param name="diskBytes">The free disk space for mapped piles.</param>
/// <param name="cores">The processors.</param>
/// <param name="quick">Whether small sizes are asked for.</param>
internal sealed class StandardBudget(long memoryBytes, long diskBytes, int cores, bool quick)
{
    // On a machine filled to the last byte the figures would be those of the system's page reclaim.
    private const double MostOfMemory = 0.8;

    private readonly List<string> _leftOut = [];

    internal int Cores { get; } = cores;

    internal bool Quick { get; } = quick;

    /// <summary>The most memory that one load may take.</summary>
    internal long MemoryBytes { get; } = (long)(memoryBytes * MostOfMemory);

    /// <summary>What was left out, and why.</summary>
    internal IReadOnlyList<string> LeftOut => _leftOut;

    /// <summary>Whether a load fits into memory; if not, it is recorded as left out.</summary>
    internal bool HasMemoryFor(string what, long bytes) => Fits(what, bytes, MemoryBytes, "memory");

    /// <summary>Whether a load's files fit on the disk, and their mappings into memory; if not, it is recorded as left out.</summary>
    internal bool HasDiskFor(string what, long bytes) =>
        Fits(what, bytes, (long)(diskBytes * MostOfMemory), "disk") && HasMemoryFor(what, bytes);

    /// <summary>The numbers of threads: powers of two, up to twice the number of processors.</summary>
    internal IEnumerable<int> Threads()
    {
        for (int threads = 1; threads <= Math.Max(2, Cores * 2); threads *= 2)
            yield return threads;
    }

    private bool Fits(string what, long bytes, long mostBytes, string kind)
    {
        if (bytes <= mostBytes)
            return true;
        string text = string.Create(
            CultureInfo.InvariantCulture, $"{what}: needs {Gibibytes(bytes):N1} GiB of {kind}, and {Gibibytes(mostBytes):N1} may be used");
        if (!_leftOut.Contains(text))
            _leftOut.Add(text);
        return false;
    }

    private static double Gibibytes(long bytes) => bytes / (double)(1L << 30);
}
