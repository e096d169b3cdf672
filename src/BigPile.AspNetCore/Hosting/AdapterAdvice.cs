using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Settings of an adapter's table that its adapter does not use, and the remedy; <see langword="null"/>: there are none.</summary>
internal static class AdapterAdvice
{
    internal static string? OfHybridCache(TableOptions table) => table.DefaultMaxAge is { } age
        ? $"The table '{table.Name}' has a default age of {age}, which its HybridCache does not use: each entry has the lifetime of its "
            + "call. Set PileHybridCacheOptions.DefaultEntryOptions instead."
        : null;

    internal static string? OfOutputCache(TableOptions table) => table.DefaultMaxAge is { } age
        ? $"The table '{table.Name}' has a default age of {age}, which the output cache does not use: each response has the lifetime of "
            + "its policy. Set OutputCacheOptions.DefaultExpirationTimeSpan instead."
        : null;
}
