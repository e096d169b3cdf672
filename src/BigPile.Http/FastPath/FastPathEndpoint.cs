using System;
using System.Text;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Security;

namespace BigPile.Http.FastPath;

/// <summary>What the connections of one endpoint's fast door have in common.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FastPathEndpoint(
    PileHost host, IEntryGuard guard, FastPathCounters counters, HeadLimits limits, TimeProvider time, byte[][] ignoredHeaders,
    bool namesServer, bool variesByOrigin)
{
    private readonly byte[] _end = EndOf(namesServer, variesByOrigin, isLast: false);
    private readonly byte[] _closingEnd = EndOf(namesServer, variesByOrigin, isLast: true);

    internal PileHost Host => host;

    internal IEntryGuard Guard => guard;

    internal FastPathCounters Counters => counters;

    internal HeadLimits Limits => limits;

    internal TimeProvider Time => time;

    /// <summary>Times the answers while somebody looks at the statistics.</summary>
    internal EntryLatency? Latency { get; init; }

    /// <summary>Logs the answers; <see langword="null"/>: nothing is logged.</summary>
    internal IReadLog? Log { get; init; }

    /// <summary>
    /// Counts connections that are answered, together with the requests of the stack; <see langword="null"/>: there is no limit.
    /// </summary>
    internal RequestLoad? Load { get; init; }

    /// <summary>Which hosts are answered here; <see langword="null"/>: all.</summary>
    internal ClientRules? Clients { get; init; }

    internal DateLine Date { get; } = new();

    /// <summary>Names of headers that mean nothing to a read, in lower case, beside those that every door knows.</summary>
    internal byte[][] IgnoredHeaders => ignoredHeaders;

    /// <summary>The end of a head.</summary>
    internal ReadOnlySpan<byte> Closing(bool isLast) => isLast ? _closingEnd : _end;

    private static byte[] EndOf(bool namesServer, bool variesByOrigin, bool isLast) => Encoding.ASCII.GetBytes(
        (variesByOrigin ? "Vary: Origin\r\n" : "") + (namesServer ? "Server: Kestrel\r\n" : "")
        + (isLast ? "Connection: close\r\n" : "") + "\r\n");
}
