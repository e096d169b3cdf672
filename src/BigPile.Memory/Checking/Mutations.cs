#if CRASH_POINTS
using System;
#endif

namespace BigPile.Memory.Checking;

/// <summary>Mistakes that tests plant, and must detect; without the symbol <c>CRASH_POINTS</c> the compiler drops their branches.</summary>
/// <remarks>Each library names its own as properties of a class, each of which returns what this says of its name.</remarks>
internal static class Mutations
{
#if CRASH_POINTS
    /// <summary>Says which mistake is planted in the calling thread's test; null: none.</summary>
    internal static Predicate<string>? Planted { get; set; }

    internal static bool IsPlanted(string name) => Planted?.Invoke(name) == true;
#else
    internal static bool IsPlanted(string name) => false;
#endif
}
