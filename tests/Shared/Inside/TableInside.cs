using System;
using System.Reflection;
using BigPile.Caching;

namespace BigPile.Testing;

/// <summary>
/// What tests of the libraries above do to a table that no caller can: by reflection, as they are no friends of its library.
/// </summary>
internal static class TableInside
{
    /// <summary>Hides all entries, as after a kill, before the walk for the entries is over.</summary>
    internal static void BeginRebuild(this CacheTable table)
    {
        object engine = PileInside.Get(table, "Core");
        object last = PileInside.Get(PileInside.Get(PileInside.Get(engine, "Heap"), "Versions"), "Last");
        _ = PileInside.Call(PileInside.Get(engine, "Visibility"), "BeginRebuild", last);
    }

    /// <summary>Shows them again.</summary>
    internal static void EndRebuild(this CacheTable table)
    {
        Type found = typeof(CacheTable).Assembly.GetType("BigPile.Caching.Recovery.FoundEntries", throwOnError: true)!;
        object entries = Activator.CreateInstance(
            found, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public, null, [PileInside.Get(table, "Core")], null)!;
        _ = PileInside.Call(entries, "Complete");
    }
}
