using System;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tables;

/// <summary>The arguments of a put. Key and entry spec are passed beside it by reference, which is cheaper than copying them.</summary>
internal readonly ref struct PutRequest(
    ReadOnlySpan<byte> value, ValueKind kind, Condition condition, ExternalizedValue? externalized = null)
{
    internal readonly ReadOnlySpan<byte> Value = value; // as the pile stores it
    internal readonly Condition Condition = condition; // checked under the bucket's lock
    internal readonly ValueKind Kind = kind; // of the value; or Tombstone, without one

    /// <summary>The externalized value, which becomes live with the entry; null for an inline value.</summary>
    internal readonly ExternalizedValue? Externalized = externalized;

    /// <summary>The version that a promoted entry keeps; 0: a new one is drawn.</summary>
    internal ulong KeptVersion { get; init; }

    /// <summary>The block of the spilled entry that this put replaces; empty: none.</summary>
    internal ReadOnlySpan<byte> Basis { get; init; }

    /// <summary>Whether the key has an entry in the spill file that is alive; known only where the table has a feed.</summary>
    internal bool ReplacesSpilled { get; init; }

    /// <summary>Whether it promotes a spilled entry, rather than putting a new one.</summary>
    internal bool IsPromotion => KeptVersion != 0;

    /// <summary>The same put with another condition, replacing a spilled entry.</summary>
    internal PutRequest On(Condition condition, ReadOnlySpan<byte> basis) =>
        new(Value, Kind, condition, Externalized) { KeptVersion = KeptVersion, Basis = basis, ReplacesSpilled = !basis.IsEmpty };

    internal bool IsTombstone => Kind == ValueKind.Tombstone;
}
