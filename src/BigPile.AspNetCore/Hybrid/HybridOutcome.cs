using System;
using BigPile.Caching.Entries;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>What a run came to.</summary>
/// <param name="Value">The object; it belongs to the caller that began the run.</param>
/// <param name="Sharing">How the others get theirs.</param>
/// <param name="Kind">What <paramref name="Copy"/> is.</param>
/// <param name="Copy">The value's bytes, for others to make objects of their own.</param>
internal readonly record struct HybridOutcome<T>(T Value, Sharing Sharing, ValueKind Kind = default, ReadOnlyMemory<byte> Copy = default);

/// <summary>How those who waited for a run get their objects.</summary>
internal enum Sharing
{
    /// <summary>From the cache.</summary>
    Cached,

    /// <summary>All the same one, which nobody can change.</summary>
    Same,

    /// <summary>From the bytes that go with the outcome.</summary>
    Copied,

    /// <summary>By a run of the factory of their own, since there is no way to copy this one.</summary>
    None,
}
