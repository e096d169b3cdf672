using System;
using System.Threading;
using BigPile.Caching.SingleFlight;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>What runs are told apart by: callers share one only if they want the same, in the same way.</summary>
internal readonly record struct RunId(string Key, Microsoft.Extensions.Caching.Hybrid.HybridCacheEntryFlags Flags, Type Type);

/// <summary>One search for a value that is missing, by the second level and the factory.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal abstract class HybridRun(string[] tags)
{
    private volatile bool _isOutdated;
    private volatile bool _isJoined;

    /// <summary>Is held while the run stores its value, and while it is told that it must not.</summary>
    internal Lock Storing { get; } = new();

    /// <summary>
    /// Whether the key was removed, set, or lost one of its tags since the run began: who waits gets the value, and nobody else.
    /// </summary>
    internal bool IsOutdated => _isOutdated;

    /// <summary>Whether others wait beside the caller that began it.</summary>
    internal bool IsJoined => _isJoined;

    internal bool HasTag(string tag) => Array.IndexOf(tags, tag) >= 0;

    internal void Outdate()
    {
        lock (Storing)
            _isOutdated = true;
    }

    internal void Join() => _isJoined = true;
}

/// <inheritdoc/>
internal sealed class HybridRun<T>(string[] tags, FlightNode node) : HybridRun(tags)
{
    internal Flight<HybridOutcome<T>> Flight { get; } = new(node);
}
