using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Operations;

namespace BigPile.Caching;

/// <summary>The ways to look into tables with text keys, where it is known when this is compiled that they have such.</summary>
internal static class AlternateLookups
{
    /// <summary>Gives the way to look into a table by other keys, if it has one.</summary>
    internal static AlternateLookup<TAlternateKey, TValue> Of<TKey, TAlternateKey, TValue>(TypedTable<TKey, TValue> table)
        where TKey : notnull
        where TAlternateKey : notnull, allows ref struct =>
        (object)table is TypedTable<string, TValue> texts
            && (typeof(TAlternateKey) == typeof(ReadOnlySpan<byte>) || typeof(TAlternateKey) == typeof(ReadOnlySpan<char>))
            ? new AlternateLookup<TAlternateKey, TValue>(texts)
            : throw new InvalidOperationException(
                $"The table '{table.Core.Name}' has keys of type {typeof(TKey)}, and can't be looked into by {typeof(TAlternateKey)}: "
                + "keys that are text can, by ReadOnlySpan<char> and by ReadOnlySpan<byte>.");

    /// <summary>As <see cref="CacheTable{TKey, TValue}.GetAlternateLookup{TAlternateKey}"/> for keys in UTF-8, and asks nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static AlternateLookup<ReadOnlySpan<byte>, TValue> ByUtf8<TValue>(this CacheTable<string, TValue> table) => new(table.Typed);

    /// <summary>As <see cref="CacheTable{TKey, TValue}.GetAlternateLookup{TAlternateKey}"/> for characters, and asks nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static AlternateLookup<ReadOnlySpan<char>, TValue> ByText<TValue>(this CacheTable<string, TValue> table) => new(table.Typed);
}
