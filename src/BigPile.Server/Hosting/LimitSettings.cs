using System;
using BigPile.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Limits:…</c>: what one client, and all clients together, may take of the server.</summary>
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

    /// <summary>The longest time for a client to send a request's headers.</summary>
    internal TimeSpan Head { get; init; }

    /// <summary>The longest idle time of a connection between requests.</summary>
    internal TimeSpan KeepAlive { get; init; }

    /// <summary>The minimum rate of a request body; 0: no minimum.</summary>
    internal int MinBodyBytesPerSecond { get; init; }

    /// <summary>The minimum rate at which a response is read; 0: no minimum.</summary>
    internal int MinResponseBytesPerSecond { get; init; }

    /// <summary>How long a body or a response may be below its minimum rate.</summary>
    internal TimeSpan Grace { get; init; }

    /// <summary>The most connections at once; further ones are closed as they are accepted.</summary>
    internal int Connections { get; init; }

    /// <summary>The most requests at once, on the fast path and in the full stack together; further ones are answered with 503.</summary>
    internal int ConcurrentRequests { get; init; }

    /// <summary>The longest duration of a request, except loads and exports of a whole table.</summary>
    internal TimeSpan Request { get; init; }

    /// <summary>The most loads and exports at once; further ones are answered with 429.</summary>
    internal int BulkRequests { get; init; }

    /// <summary>The largest initial index capacity that a client may ask for, in entries.</summary>
    internal int InitialEntries { get; init; }

    /// <summary>The most bytes of request bodies and responses in flight; <see langword="null"/>: derived from the largest body.</summary>
    internal long? BufferedBytes { get; init; }

    /// <summary>Clients can't create a table when there are this many.</summary>
    internal int Tables { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="maxBodyBytes">The most bytes of a payload; the buffer limit must hold several.</param>
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

    /// <summary>Applies the limits that Kestrel enforces.</summary>
    internal void Apply(KestrelServerLimits limits)
    {
        limits.MaxRequestLineSize = RequestLineBytes;
        limits.MaxRequestHeadersTotalSize = HeaderBytes;
        // Bytes received but not yet read. The rest of a large body waits at the client.
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
