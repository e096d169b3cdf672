using System;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace BigPile.Http.FastPath;

/// <summary>What the fast door takes of a request and how long it waits: never more than the server allows.</summary>
internal sealed class HeadLimits
{
    /// <summary>The most bytes of a request's head.</summary>
    internal const int LargestHeadBytes = 8 * 1024;

    /// <summary>The most header lines.</summary>
    internal const int MostHeaders = 32;

    /// <summary>The bytes of answers after which they are sent before more requests are looked at.</summary>
    internal const int FlushBytes = 48 * 1024;

    internal HeadLimits(KestrelServerLimits limits)
    {
        HeadBytes = Math.Min(LargestHeadBytes, Math.Min(limits.MaxRequestLineSize, limits.MaxRequestHeadersTotalSize));
        LineBytes = limits.MaxRequestLineSize;
        MostBytes = limits.MaxRequestLineSize + limits.MaxRequestHeadersTotalSize;
        Headers = Math.Min(MostHeaders, limits.MaxRequestHeaderCount);
        IdleTicks = TicksOf(limits.KeepAliveTimeout);
        HeadTicks = TicksOf(limits.RequestHeadersTimeout);
        DataRate = limits.MinResponseDataRate;
    }

    /// <summary>The longest head that the door answers itself.</summary>
    internal int HeadBytes { get; }

    /// <summary>The longest request line of the stack.</summary>
    internal int LineBytes { get; }

    /// <summary>The longest head of the stack; it refuses a longer one without waiting for its end.</summary>
    internal int MostBytes { get; }

    internal int Headers { get; }

    /// <summary>The heartbeats that a connection may be without a request.</summary>
    internal int IdleTicks { get; }

    /// <summary>The heartbeats that a head may take to arrive.</summary>
    internal int HeadTicks { get; }

    private MinDataRate? DataRate { get; }

    /// <summary>The heartbeats that a client may take for bytes that wait for it, by the rate that the server asks of all.</summary>
    internal int FlushTicks(long bytes) =>
        DataRate is { } rate
            ? TicksOf(TimeSpan.FromSeconds(Math.Max(rate.GracePeriod.TotalSeconds, bytes / rate.BytesPerSecond)))
            : int.MaxValue;

    // A heartbeat comes each second, and the first one at once.
    private static int TicksOf(TimeSpan time) =>
        time.TotalSeconds >= int.MaxValue ? int.MaxValue : (int)Math.Ceiling(time.TotalSeconds) + 1;
}
