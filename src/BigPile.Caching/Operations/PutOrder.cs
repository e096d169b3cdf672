using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>What a put puts, and when. Key and entry head go beside it, since to copy them takes longer than to pass them on.</summary>
internal readonly ref struct PutOrder(ReadOnlySpan<byte> value, ValueKind kind, Condition condition, MovedOut? externalized = null)
{
    internal readonly ReadOnlySpan<byte> Value = value;
    internal readonly Condition Condition = condition;
    internal readonly ValueKind Kind = kind;

    /// <summary>The object that becomes live with the entry, if its value is one that is moved out.</summary>
    internal readonly MovedOut? Externalized = externalized;

    /// <summary>The version of an entry that comes back as it was; 0: it gets the next one.</summary>
    internal ulong KeptVersion { get; init; }

    /// <summary>The block of the spilled entry that it is to follow; empty: none.</summary>
    internal ReadOnlySpan<byte> Basis { get; init; }

    /// <summary>Whether it is an entry that comes back, which nobody has put.</summary>
    internal bool IsPromotion => KeptVersion != 0;

    /// <summary>The same put with another condition, behind what was spilled.</summary>
    internal PutOrder On(Condition condition, ReadOnlySpan<byte> basis) =>
        new(Value, Kind, condition, Externalized) { KeptVersion = KeptVersion, Basis = basis };

    internal bool IsTombstone => Kind == ValueKind.Tombstone;
}
