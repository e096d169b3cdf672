using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Testing;

/// <summary>Evicts entries on command: as a limit does, or a full pile, where the table has no limit or is far from it.</summary>
/// <remarks>
/// Listeners are told <see cref="RemovalReason.Evicted"/>, entries move to the <see cref="PileCacheOptions.SpillDirectory"/> where there is
/// one, and those with <see cref="EntryPriority.NeverEvict"/> stay.
/// Thread safety: all members may be called concurrently, beside all other use of the table.
/// </remarks>
public static class EvictionExtensions
{
    /// <summary>Evicts entries that the table's policy chooses, those of the lowest priority first.</summary>
    /// <remarks>
    /// Entries that had expired, or whose tag was removed, are swept before and don't count. A table without a limit knows how its entries
    /// are used from the first call on: where it matters who goes, call <c>EvictNow(0)</c> before the entries are put.
    /// </remarks>
    /// <param name="table">The table.</param>
    /// <param name="count">The most entries that go; at least 0.</param>
    /// <returns>How many went: fewer where no more may go.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is negative.</exception>
    /// <exception cref="InvalidOperationException">
    /// The table is not <see cref="CacheTable.IsReady">ready</see>; or a codec or comparer calls, which may not wait for the table.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public static long EvictNow(this CacheTable table, long count)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        RequireReady(table);
        table.Core.Shrink.BeginOnCommand();
        _ = table.Sweep();
        long gone = 0;
        while (gone < count && table.Core.Shrink.TryEvictOne(table.Core.Clock.Now))
            gone++;
        return gone;
    }

    /// <summary>Evicts all entries that may go; of those that are put meanwhile, some may stay or go.</summary>
    /// <param name="table">The table.</param>
    /// <returns>How many went.</returns>
    /// <exception cref="InvalidOperationException">As <see cref="EvictNow"/>.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public static long EvictAll(this CacheTable table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return table.EvictNow(table.Count); // a number: beside puts there might be no end
    }

    /// <summary>Evicts the entry of a key.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <returns>
    /// Whether it went: <see langword="false"/> where memory has no live entry of the key, or one with
    /// <see cref="EntryPriority.NeverEvict"/>.
    /// </returns>
    /// <exception cref="InvalidOperationException">The table is not <see cref="CacheTable.IsReady">ready</see>.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public static bool Evict<TKey, TValue>(this CacheTable<TKey, TValue> table, TKey key)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        RequireReady(table);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return table.Core.Shrink.TryEvict(table.Typed.Keys.Probe(key, stack));
    }

    // Older blocks of a key may still turn up: evicted, it would come back with an earlier value.
    private static void RequireReady(CacheTable table)
    {
        if (table.Core.Visibility.IsRebuilding)
            throw new InvalidOperationException($"The index of the table '{table.Name}' is being rebuilt, and nothing can be evicted "
                + "before it is complete: wait for PileCache.Readiness.Completion.");
    }
}
