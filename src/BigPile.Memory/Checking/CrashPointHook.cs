#if CRASH_POINTS
using System;

namespace BigPile.Memory.Checking;

/// <summary>What tests do at the crash points of one library.</summary>
internal static class CrashPointHook<TPoint>
    where TPoint : struct, Enum
{
    /// <summary>Called by each thread at each crash point that it passes; null: nothing happens.</summary>
    internal static Action<TPoint>? Passed { get; set; }
}
#endif
