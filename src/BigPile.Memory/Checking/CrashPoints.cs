using System;
using System.Diagnostics;

namespace BigPile.Memory.Checking;

/// <summary>Marks crash points: places between two stores where tests kill, delay or fail a thread.</summary>
/// <remarks>
/// The calls are compiled only into assemblies with the symbol <c>CRASH_POINTS</c>: test projects, which compile the libraries' sources
/// once more. Each library numbers its crash points in an enumeration of its own.
/// </remarks>
internal static unsafe class CrashPoints
{
    /// <summary>Marks a crash point.</summary>
    [Conditional("CRASH_POINTS")]
    internal static void Pass<TPoint>(TPoint point)
        where TPoint : struct, Enum
    {
#if CRASH_POINTS
        CrashPointHook<TPoint>.Passed?.Invoke(point);
#endif
    }

    /// <summary>Writes half of a payload before all of it is written, and marks the crash point in between.</summary>
    [Conditional("CRASH_POINTS")]
    internal static void CopyHalf<TPoint>(ReadOnlySpan<byte> payload, byte* destination, TPoint point)
        where TPoint : struct, Enum
    {
        payload[..(payload.Length / 2)].CopyTo(new Span<byte>(destination, payload.Length / 2));
        Pass(point);
    }
}
