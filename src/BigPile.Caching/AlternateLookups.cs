using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching;

/// <summary>Creates alternate lookups for tables with text keys.</summary>
internal static class AlternateLookups
{
    /// <summary>Creates an alternate lookup, if the table has one for these keys.</summary>
    internal static AlternateLookup<TAlternateKey, TValue> Of<TKey, TAlternateKey, TValue>(TypedTable<TKey, TValue> table)
        where TKey : notnull
        where TAlternateKey : notnull, allows ref struct =>
        (object)table is TypedTable<string, TValue> texts
            && (typeof(TAlternateKey) == typeof(ReadOnlySpan<byte>) || typeof(TAlternateKey) == typeof(ReadOnlySpan<char>))
            ? new AlternateLookup<TAlternateKey, TValue>(texts)
            : throw new InvalidOperationException(
                $"The table '{table.Core.Name}' has keys of type {typeof(TKey)}, and no lookup by {typeof(TAlternateKey)}: "
                + "tables with text keys have lookups by ReadOnlySpan<char> and by ReadOnlySpan<byte>.");

    /// <summary>As <see cref="CacheTable{TKey, TValue}.GetAlternateLookup{TAlternateKey}"/> for keys in UTF-8, without checks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static AlternateLookup<ReadOnlySpan<byte>, TValue> ByUtf8<TValue>(this CacheTable<string, TValue> table) => new(table.Typed);

    /// <summary>As <see cref="CacheTable{TKey, TValue}.GetAlternateLookup{TAlternateKey}"/> for characters, without checks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static AlternateLookup<ReadOnlySpan<char>, TValue> ByText<TValue>(this CacheTable<string, TValue> table) => new(table.Typed);
}
