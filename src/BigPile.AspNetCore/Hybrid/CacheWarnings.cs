using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Warns once for each reason and type that values are not cached or can't be read.</summary>
/// <remarks>
/// Every occurrence is logged at <see cref="LogLevel.Debug"/> with its exception. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class CacheWarnings(ILogger logger)
{
    private readonly ConcurrentDictionary<(Reason, Type), bool> _warned = new();

    /// <summary>Why.</summary>
    internal enum Reason
    {
        Unreadable,
        NotSerializable,
        AsJson,
        TooLarge,
    }

    /// <summary>Logs a warning, the first time for this reason and type.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="type">The type of the value.</param>
    /// <param name="text">What happened, in full sentences.</param>
    /// <param name="exception">The exception, if any.</param>
    internal void Warn(Reason reason, Type type, string text, Exception? exception = null)
    {
        if (_warned.TryAdd((reason, type), true))
            logger.LogWarning("{Text} (Said once for values of type {Type}; at level Debug each time)", text, type);
        logger.LogDebug(exception, "{Text}", text);
    }
}
