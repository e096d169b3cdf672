using System.Reflection;
using BigPile.Caching;

namespace BigPile.Testing;

/// <summary>
/// What tests of the libraries above do to a table that no caller can: by reflection, as they are no friends of its library.
/// </summary>
internal static class TableInside
{
    /// <summary>Hides all entries, as after a kill, before the walk for the entries is over.</summary>
    internal static void BeginRebuild(this CacheTable table) => Call("Visibility", "BeginRebuild", table);

    /// <summary>Shows them again.</summary>
    internal static void EndRebuild(this CacheTable table) => Call("Rebuilding", "EndRebuild", table);

    private static void Call(string type, string method, CacheTable table) =>
        typeof(CacheTable).Assembly.GetType("BigPile.Caching.Operations." + type, throwOnError: true)!
            .GetMethod(method, BindingFlags.Static | BindingFlags.NonPublic)!.Invoke(null, [PileInside.Get(table, "Core")]);
}
