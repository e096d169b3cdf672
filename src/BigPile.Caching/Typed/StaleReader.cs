using System;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>Reads the entry of a key that a factory's value will replace.</summary>
internal sealed class StaleReader<TKey, TValue>(TypedTable<TKey, TValue> table, TKey key) : StaleReader<TValue>
    where TKey : notnull
{
    internal override TimeSpan Age => table.AgeOf(Info.Version);

    private protected override bool TryRead([MaybeNullWhen(false)] out TValue value, out EntryInfo info) =>
        table.TryGetStale(key, out value, out info);
}
