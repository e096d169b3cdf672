using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The identity of a run: callers share a run only for the same key, flags and type.</summary>
internal readonly record struct RunId(string Key, Microsoft.Extensions.Caching.Hybrid.HybridCacheEntryFlags Flags, Type Type);

/// <summary>One shared lookup of a missing value: the second level, then the factory.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="tags">The tags of the value to be made.</param>
/// <param name="isRefresh">Whether it runs for nobody, ahead of an expiry.</param>
internal abstract class HybridRun(string[] tags, bool isRefresh)
{
    private volatile bool _isOutdated;
    private volatile bool _isJoined;

    /// <summary>
    /// Held while the run stores its value and while the run is marked as outdated, so that an outdated run never stores.
    /// </summary>
    internal Lock Storing { get; } = new();

    /// <summary>
    /// Whether the key was removed or set, or one of its tags removed, since the run began. Its waiters still get the value; it is not
    /// cached.
    /// </summary>
    internal bool IsOutdated => _isOutdated;

    /// <summary>Whether other callers wait for the run besides the one that started it.</summary>
    internal bool IsJoined => _isJoined;

    /// <summary>Whether it runs for nobody, ahead of an expiry.</summary>
    internal bool IsRefresh => isRefresh;

    internal bool HasTag(string tag) => Array.IndexOf(tags, tag) >= 0;

    internal void Outdate()
    {
        lock (Storing)
            _isOutdated = true;
    }

    internal void Join() => _isJoined = true;
}

/// <inheritdoc/>
internal sealed class HybridRun<T>(string[] tags, SharedRun<HybridOutcome<T>> shared, bool isRefresh = false)
    : HybridRun(tags, isRefresh)
{
    internal SharedRun<HybridOutcome<T>> Shared => shared;

    /// <summary>Joins the callers who wait, and waits.</summary>
    internal async Task<HybridOutcome<T>> JoinAsync(CancellationToken cancellation)
    {
        if (!shared.TryJoin(out Task<HybridOutcome<T>>? joined, cancellation))
            return HybridOutcome<T>.Absent; // the run was abandoned and is about to be removed
        Join();
        return await joined.ConfigureAwait(false);
    }
}

/// <summary>The result of a run.</summary>
/// <param name="Value">The object; it belongs to the caller that started the run.</param>
/// <param name="Sharing">How the joined callers get their objects.</param>
/// <param name="Kind">What <paramref name="Copy"/> is.</param>
/// <param name="Copy">The value's bytes, from which joined callers deserialize their own objects.</param>
internal readonly record struct HybridOutcome<T>(T Value, Sharing Sharing, ValueKind Kind = default, ReadOnlyMemory<byte> Copy = default)
{
    internal static HybridOutcome<T> Absent => new(default!, Sharing.Absent);
}

/// <summary>How callers that joined a run get their objects.</summary>
internal enum Sharing
{
    /// <summary>They read the cache.</summary>
    Cached,

    /// <summary>All share one immutable object.</summary>
    Same,

    /// <summary>Each deserializes the outcome's bytes.</summary>
    Copied,

    /// <summary>Each runs the factory itself, since this value can't be copied.</summary>
    None,

    /// <summary>A factory for many keys has no value for this one: each begins anew.</summary>
    Absent,
}
