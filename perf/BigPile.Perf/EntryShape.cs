using System;
using BigPile.Caching;

namespace BigPile.Perf;

/// <summary>How the entries of a table under load are put.</summary>
internal enum EntryShape
{
    Plain, // key and value only
    OneExpiring, // the same, but the first one expires a day after it was put
    Expiring, // each expires a day after it was put
    Sliding, // each expires a day after its last use
    Tagged, // each has a tag, the same
}

/// <summary>What the shapes of entries mean to a table.</summary>
internal static class EntryShapes
{
    private static readonly EntryOptions Expiring = new() { MaxAge = TimeSpan.FromDays(1) };
    private static readonly EntryOptions Sliding = new() { Sliding = TimeSpan.FromDays(1) };
    private static readonly EntryOptions Tagged = new() { Tags = ["tag"] };

    /// <summary>What an entry is put with.</summary>
    internal static EntryOptions? OptionsOf(this EntryShape shape, int number) => shape switch
    {
        EntryShape.OneExpiring => number == 0 ? Expiring : null,
        EntryShape.Expiring => Expiring,
        EntryShape.Sliding => Sliding,
        EntryShape.Tagged => Tagged,
        _ => null,
    };
}
