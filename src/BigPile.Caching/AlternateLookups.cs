using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Caching.Spill;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>What tables with text keys have beside their members.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public static class AlternateLookups
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

    /// <summary>The lookup by keys in UTF-8. The compiler checks that the table has one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static AlternateLookup<ReadOnlySpan<byte>, TValue> ByUtf8<TValue>(this CacheTable<string, TValue> table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return new(table.Typed);
    }

    /// <summary>The lookup by characters. The compiler checks that the table has one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static AlternateLookup<ReadOnlySpan<char>, TValue> ByText<TValue>(this CacheTable<string, TValue> table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return new(table.Typed);
    }

    /// <summary>
    /// Enumerates all entries, concurrently with writers: also those that left memory for <see cref="PileCacheOptions.SpillDirectory"/>.
    /// Not a use of any.
    /// </summary>
    /// <remarks>
    /// An entry that exists during the whole enumeration is returned once; one that meanwhile leaves memory at a limit, or returns, at
    /// least once. Until <see cref="CacheTable.IsReady"/>, those from before the opening are left out. The caller runs with no lock
    /// held.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static IEnumerable<StoredEntry> StoredEntries<TValue>(this CacheTable<string, TValue> table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return Enumerate();

        IEnumerable<StoredEntry> Enumerate()
        {
            using PromotionWatch? returns = table.Core.Disk?.WatchPromotions();
            var found = new List<StoredEntry>();
            for (ulong position = 0; position < CacheTable.EndOfWalk;)
            {
                found.Clear();
                position = table.Walk(position, found);
                foreach (StoredEntry entry in found)
                    yield return entry;
            }
            if (returns == null)
                yield break;
            foreach (byte[] key in table.Core.Disk!.Keys())
            {
                if (table.ByUtf8().TryPeek(key, out StoredEntry entry))
                    yield return entry;
            }
            for (int left = returns.Count; left > 0 && returns.TryNext(out byte[]? key); left--)
            {
                if (table.ByUtf8().TryPeek(key, out StoredEntry entry))
                    yield return entry;
            }
        }
    }
}
