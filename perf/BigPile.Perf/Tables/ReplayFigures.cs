using BigPile.Perf.Policies;

namespace BigPile.Perf.Tables;

/// <summary>What a table did with a trace.</summary>
/// <param name="Hits">The hits.</param>
/// <param name="Seconds">The time of all accesses.</param>
/// <param name="OverheadBytes">At the end: the bytes of a limit in bytes that went to the index and the queues.</param>
internal sealed record ReplayFigures(HitTally Hits, double Seconds, long OverheadBytes)
{
    /// <summary>Accesses a second, each with a put when it missed.</summary>
    internal double PerSecond => Hits.Accesses / System.Math.Max(Seconds, 1e-9);
}
