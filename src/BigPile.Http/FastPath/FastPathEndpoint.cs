using System;
using System.Text;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Security;

namespace BigPile.Http.FastPath;

/// <summary>What the fast-path connections of one endpoint share.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FastPathEndpoint(
    IServiceProvider services, IEntryGuard guard, FastPathCounters counters, HeadLimits limits, TimeProvider time, byte[][] ignoredHeaders,
    bool namesServer, bool variesByOrigin)
{
    private readonly byte[] _end = EndOf(namesServer, variesByOrigin, isLast: false);
    private readonly byte[] _closingEnd = EndOf(namesServer, variesByOrigin, isLast: true);

    internal PileHost Host { get; } = Registered.HostOf(services);

    internal IEntryGuard Guard => guard;

    internal FastPathCounters Counters => counters;

    internal HeadLimits Limits => limits;

    internal TimeProvider Time => time;

    /// <summary>Times the answers while a client polls the statistics.</summary>
    internal EntryLatency? Latency { get; init; }

    /// <summary>Logs the answers; <see langword="null"/>: no log.</summary>
    internal IReadLog? Log { get; init; }

    /// <summary>Limits concurrent requests, those of the full stack included; <see langword="null"/>: no limit.</summary>
    internal RequestLoad? Load { get; init; }

    /// <summary>The hosts that the fast path answers; <see langword="null"/>: all.</summary>
    internal ClientRules? Clients { get; init; }

    internal DateLine Date { get; } = new();

    /// <summary>Lower-case names of headers that don't affect a read, beyond those that <see cref="RequestHead"/> knows.</summary>
    internal byte[][] IgnoredHeaders => ignoredHeaders;

    /// <summary>The last lines of a head, with the empty line.</summary>
    internal ReadOnlySpan<byte> Closing(bool isLast) => isLast ? _closingEnd : _end;

    private static byte[] EndOf(bool namesServer, bool variesByOrigin, bool isLast) => Encoding.ASCII.GetBytes(
        (variesByOrigin ? "Vary: Origin\r\n" : "") + (namesServer ? "Server: Kestrel\r\n" : "")
        + (isLast ? "Connection: close\r\n" : "") + "\r\n");
}
