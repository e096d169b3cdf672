using System;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The result of a run.</summary>
/// <param name="Value">The object; it belongs to the caller that started the run.</param>
/// <param name="Sharing">How the joined callers get their objects.</param>
/// <param name="Kind">What <paramref name="Copy"/> is.</param>
/// <param name="Copy">The value's bytes, from which joined callers deserialize their own objects.</param>
internal readonly record struct HybridOutcome<T>(T Value, Sharing Sharing, ValueKind Kind = default, ReadOnlyMemory<byte> Copy = default);

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
}
