using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Concurrency;

/// <summary>A lock of one word for sections of some nanoseconds.</summary>
/// <remarks>Not re-entrant. Release by the holder only; the release orders everything that the holder wrote before it.</remarks>
internal struct TinySpinLock
{
    private int _taken;

    /// <summary>Whether somebody is inside; for assertions of whoever should be.</summary>
    internal readonly bool IsTaken => _taken != 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter() => _taken == 0 && Interlocked.CompareExchange(ref _taken, 1, 0) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter()
    {
        if (!TryEnter())
            Wait();
    }

    /// <summary>Enters, and tells whether somebody else was inside.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EnterAndReportContention()
    {
        if (TryEnter())
            return false;
        Wait();
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit() => Volatile.Write(ref _taken, 0);

    // Yields to the holder, who may have lost its processor, and never sleeps for a whole millisecond as the ancestor did.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wait()
    {
        var spinner = default(SpinWait);
        while (!TryEnter())
            spinner.SpinOnce(sleep1Threshold: -1);
    }
}
