using System;
using BigPile.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Limits:…</c>: what one client, and all of them together, may take of the server.</summary>
internal sealed record LimitSettings
{
    internal static readonly string[] Known =
    [
        "Limits:RequestLineBytes", "Limits:HeaderBytes", "Limits:HeaderCount", "Limits:HeadSeconds", "Limits:KeepAliveSeconds",
        "Limits:MinBodyBytesPerSecond", "Limits:MinResponseBytesPerSecond", "Limits:GraceSeconds", "Limits:Connections",
        "Limits:ConcurrentRequests", "Limits:RequestSeconds", "Limits:BufferedBytes", "Limits:BulkRequests", "Limits:InitialEntries",
        "Limits:Tables",
    ];

    /// <summary>The most bytes of a request line.</summary>
    internal int RequestLineBytes { get; init; }

    /// <summary>The most bytes of all header lines of a request.</summary>
    internal int HeaderBytes { get; init; }

    /// <summary>The most header lines of a request.</summary>
    internal int HeaderCount { get; init; }

    /// <summary>How long a client may take to send a request's head.</summary>
    internal TimeSpan Head { get; init; }

    /// <summary>How long a connection may lie idle between requests.</summary>
    internal TimeSpan KeepAlive { get; init; }

    /// <summary>How fast a body must come; 0: as slowly as it likes.</summary>
    internal int MinBodyBytesPerSecond { get; init; }

    /// <summary>How fast a response must be taken; 0: as slowly as the client likes.</summary>
    internal int MinResponseBytesPerSecond { get; init; }

    /// <summary>How long a body or a response may be slower than that.</summary>
    internal TimeSpan Grace { get; init; }

    /// <summary>The most connections at once; more are closed as they come.</summary>
    internal int Connections { get; init; }

    /// <summary>The most requests at once, at the fast door and in the full stack together; more are answered with 503.</summary>
    internal int ConcurrentRequests { get; init; }

    /// <summary>How long a request may take that is no stream of a whole table.</summary>
    internal TimeSpan Request { get; init; }

    /// <summary>The most loads and exports at once; more are answered with 429.</summary>
    internal int BulkRequests { get; init; }

    /// <summary>The most entries that a client may have a table's index make room for at once.</summary>
    internal int InitialEntries { get; init; }

    /// <summary>The most bytes of bodies and answers in flight; <see langword="null"/>: as many as suit the longest body.</summary>
    internal long? BufferedBytes { get; init; }

    /// <summary>The most tables that there are before clients can't make another one.</summary>
    internal int Tables { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <param name="configuration">Where they are.</param>
    /// <param name="maxBodyBytes">The most bytes of a payload, of which several must have room.</param>
    /// <exception cref="SettingsException">A setting is unknown or wrong.</exception>
    internal static LimitSettings Read(IConfiguration configuration, long maxBodyBytes)
    {
        Setting.RefuseUnknown(configuration.GetSection("Limits"), Known);
        return new LimitSettings
        {
            // A key of 1,024 bytes takes three times as many when every byte is percent-encoded.
            RequestLineBytes = Setting.Size(configuration, "Limits:RequestLineBytes", 8 << 10, 4 << 10, 1 << 20),
            HeaderBytes = Setting.Size(configuration, "Limits:HeaderBytes", 32 << 10, 1 << 10, 1 << 20),
            HeaderCount = Setting.Count(configuration, "Limits:HeaderCount", 100, 8, 10_000),
            Head = Setting.Seconds(configuration, "Limits:HeadSeconds", 30, 1),
            KeepAlive = Setting.Seconds(configuration, "Limits:KeepAliveSeconds", 130, 1),
            MinBodyBytesPerSecond = Setting.Count(configuration, "Limits:MinBodyBytesPerSecond", 240, 0, 1 << 30),
            MinResponseBytesPerSecond = Setting.Count(configuration, "Limits:MinResponseBytesPerSecond", 240, 0, 1 << 30),
            Grace = Setting.Seconds(configuration, "Limits:GraceSeconds", 5, 2),
            Connections = Setting.Count(configuration, "Limits:Connections", 10_000, 1, 1_000_000),
            ConcurrentRequests = Setting.Count(configuration, "Limits:ConcurrentRequests", 2_000, 1, 1_000_000),
            Tables = Setting.Count(configuration, "Limits:Tables", 10_000, 1, BigPileOptions.LargestMaxTables),
            Request = Setting.Seconds(configuration, "Limits:RequestSeconds", 120, 1),
            BulkRequests = Setting.Count(configuration, "Limits:BulkRequests", 32, 1, 10_000),
            InitialEntries = Setting.Count(configuration, "Limits:InitialEntries", 100_000, 0, int.MaxValue),
            BufferedBytes = ReadBufferedBytes(configuration, maxBodyBytes),
        };
    }

    private static long? ReadBufferedBytes(IConfiguration configuration, long maxBodyBytes)
    {
        if (Setting.Text(configuration, "Limits:BufferedBytes") is not { } text)
            return null;
        long bytes = Setting.Size(configuration, "Limits:BufferedBytes", 0);
        return bytes >= 8 * maxBodyBytes
            ? bytes
            : throw SettingsException.Of(
                "Limits:BufferedBytes", text, $"be at least eight times 'Server:MaxBodyBytes', {8 * maxBodyBytes:N0} bytes");
    }

    /// <summary>Hands the limits that Kestrel keeps to it.</summary>
    internal void Apply(KestrelServerLimits limits)
    {
        limits.MaxRequestLineSize = RequestLineBytes;
        limits.MaxRequestHeadersTotalSize = HeaderBytes;
        // What a client has sent ahead of what is read; the larger part of a body waits with the client.
        limits.MaxRequestBufferSize = Math.Max(256 << 10, Math.Max(RequestLineBytes, HeaderBytes));
        limits.MaxRequestHeaderCount = HeaderCount;
        limits.RequestHeadersTimeout = Head;
        limits.KeepAliveTimeout = KeepAlive;
        limits.MinRequestBodyDataRate = RateOf(MinBodyBytesPerSecond);
        limits.MinResponseDataRate = RateOf(MinResponseBytesPerSecond);
        limits.MaxConcurrentConnections = Connections;
        limits.MaxConcurrentUpgradedConnections = 0; // nothing here upgrades
    }

    private MinDataRate? RateOf(int bytesPerSecond) => bytesPerSecond == 0 ? null : new MinDataRate(bytesPerSecond, Grace);
}
