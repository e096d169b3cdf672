using System;
using System.Threading;
#if CRASH_POINTS
using BigPile.Memory.Checking;
#endif

namespace BigPile.Testing;

/// <summary>Calls a test's own code at the crash points that the test's threads pass, until it is disposed.</summary>
internal sealed class CrashPointScope<TPoint> : IDisposable
    where TPoint : struct, Enum
{
    private static readonly AsyncLocal<Action<TPoint>?> OfThisTest = new();

    private readonly Action<TPoint>? _outer = OfThisTest.Value;

    static CrashPointScope()
    {
#if CRASH_POINTS
        CrashPointHook<TPoint>.Passed = static point => OfThisTest.Value?.Invoke(point);
#endif
    }

    internal CrashPointScope(Action<TPoint> passed) => OfThisTest.Value = passed;

    public void Dispose() => OfThisTest.Value = _outer;
}
