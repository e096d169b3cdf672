using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Typed;

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
