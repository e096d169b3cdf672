using System;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>The names of priorities in headers and documents.</summary>
internal static class Priorities
{
    internal const string Form = "low, normal, high or never-evict";

    private static readonly string[] Names = ["low", "normal", "high", "never-evict"];

    internal static string NameOf(EntryPriority priority) => Names[(int)priority];

    /// <summary>Finds a priority by its name, whatever its case.</summary>
    internal static bool TryFind(ReadOnlySpan<char> name, out EntryPriority priority)
    {
        name = name.Trim(" \t");
        for (int i = 0; i < Names.Length; i++)
        {
            priority = (EntryPriority)i;
            if (name.Equals(Names[i], StringComparison.OrdinalIgnoreCase))
                return true;
        }
        priority = default;
        return false;
    }
}
