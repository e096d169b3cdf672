using System;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>A table that the application registered.</summary>
/// <param name="Options">Its name and options.</param>
/// <param name="KeyType">The type of its keys.</param>
/// <param name="Make">Creates the table, or finds the one restored from disk.</param>
internal sealed record TableRegistration(TableOptions Options, Type KeyType, Action<PileCache> Make)
{
    /// <param name="options">The table's name, and how it behaves.</param>
    /// <param name="isOpaque">Whether its values are opaque: an adapter's own bytes, which clients can't read as payloads.</param>
    internal static TableRegistration Of<TKey, TValue>(TableOptions options, bool isOpaque = false)
        where TKey : notnull =>
        new(options, typeof(TKey), cache =>
        {
            CacheTable<TKey, TValue> table = cache.GetOrCreateTable<TKey, TValue>(options);
            if (isOpaque)
                table.HasOpaqueValues = true;
            Check(cache, options, typeof(TKey), "keys");
            Check(cache, options, typeof(TValue), "values");
        });

    // Fail at the start rather than at each request.
    private static void Check(PileCache cache, TableOptions options, Type type, string what)
    {
        if (!cache.Pile.Encoding.CanStore(type, out string? reason))
            throw new InvalidOperationException($"The table '{options.Name}' can't have {what} of type {type}. {reason}");
    }
}
