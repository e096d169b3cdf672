using System;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace BigPile.Http.FastPath;

/// <summary>The fast path's limits on heads, and its timeouts; none exceeds the server's.</summary>
internal sealed class HeadLimits(KestrelServerLimits limits)
{
    /// <summary>The longest head that the fast path answers, in bytes.</summary>
    internal const int LargestHeadBytes = 8 * 1024;

    /// <summary>The maximum number of header lines.</summary>
    internal const int MostHeaders = 32;

    /// <summary>Bytes of answers after which they are flushed before more requests are parsed.</summary>
    internal const int FlushBytes = 48 * 1024;

    /// <summary>The longest head that the fast path answers on this server, in bytes.</summary>
    internal int HeadBytes { get; } = Math.Min(LargestHeadBytes, Math.Min(limits.MaxRequestLineSize, limits.MaxRequestHeadersTotalSize));

    /// <summary>The stack's limit on the request line, in bytes.</summary>
    internal int LineBytes { get; } = limits.MaxRequestLineSize;

    /// <summary>The stack's limit on a head, in bytes; it refuses a longer one before its end arrives.</summary>
    internal int MostBytes { get; } = limits.MaxRequestLineSize + limits.MaxRequestHeadersTotalSize;

    internal int Headers { get; } = Math.Min(MostHeaders, limits.MaxRequestHeaderCount);

    /// <summary>The keep-alive timeout, in heartbeats.</summary>
    internal int IdleTicks { get; } = TicksOf(limits.KeepAliveTimeout);

    /// <summary>The timeout of a head, in heartbeats.</summary>
    internal int HeadTicks { get; } = TicksOf(limits.RequestHeadersTimeout);

    private MinDataRate? DataRate { get; } = limits.MinResponseDataRate;

    /// <summary>The timeout of a flush, in heartbeats, by the server's minimum response rate.</summary>
    internal int FlushTicks(long bytes) =>
        DataRate is { } rate
            ? TicksOf(TimeSpan.FromSeconds(Math.Max(rate.GracePeriod.TotalSeconds, bytes / rate.BytesPerSecond)))
            : int.MaxValue;

    // Heartbeats come once a second; the first may come at once.
    private static int TicksOf(TimeSpan time) =>
        time.TotalSeconds >= int.MaxValue ? int.MaxValue : (int)Math.Ceiling(time.TotalSeconds) + 1;
}
