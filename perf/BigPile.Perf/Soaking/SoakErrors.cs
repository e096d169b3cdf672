using System.Collections.Generic;
using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>The errors that a soak found.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class SoakErrors
{
    private const int MaxExamples = 10;
    private const int TooMany = 1000; // nothing is learned from more

    private readonly List<string> _examples = [];
    private long _count;

    internal long Count => Interlocked.Read(ref _count);

    internal bool AreTooMany => Count >= TooMany;

    /// <summary>The first of them, in words.</summary>
    internal IReadOnlyList<string> Examples
    {
        get
        {
            lock (_examples)
                return [.. _examples];
        }
    }

    internal void Report(string what)
    {
        Interlocked.Increment(ref _count);
        lock (_examples)
        {
            if (_examples.Count < MaxExamples)
                _examples.Add(what);
        }
    }

    /// <summary>Reports an error, if there is one.</summary>
    /// <param name="where">What was checked.</param>
    /// <param name="why">What is wrong with it; <see langword="null"/> when nothing is.</param>
    internal void ReportIf(string where, string? why)
    {
        if (why != null)
            Report($"{where}: {why}");
    }
}
