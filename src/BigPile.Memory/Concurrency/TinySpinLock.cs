using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Memory.Concurrency;

/// <summary>A spin lock of one byte, for sections of some nanoseconds.</summary>
/// <remarks>Not reentrant. Only the holder may exit; the exit is a release store: it orders all stores of the holder before it.</remarks>
internal struct TinySpinLock
{
    private const int TriesBeforeSleep = 1_000; // about half a millisecond

    private byte _taken; // 1 while a thread holds it

    /// <summary>Whether the lock is held; for assertions of the holder.</summary>
    internal readonly bool IsTaken => _taken != 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter()
    {
        if (MemoryMutation.LockNotAtomic)
            return TryEnterByLoadAndStore();
        return _taken == 0 && Interlocked.CompareExchange(ref _taken, 1, 0) == 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter()
    {
        if (!TryEnter())
            Wait();
    }

    /// <summary>Enters until the scope is disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [UnscopedRef]
    internal Scope EnterScope()
    {
        Enter();
        return new Scope(ref this);
    }

    /// <summary>Enters, and returns whether it had to wait.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EnterAndReportContention()
    {
        if (TryEnter())
            return false;
        Wait();
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit()
    {
        Debug.Assert(IsTaken, "Only the holder exits.");
        Volatile.Write(ref _taken, 0);
    }

    // Yields, as the holder may have lost its processor. Sleeps a millisecond far later than SpinWait does by default: a writer of a
    // sequence lock may wait for a disk.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wait()
    {
        var spinner = default(SpinWait);
        while (!TryEnter())
            spinner.SpinOnce(TriesBeforeSleep);
    }

    private bool TryEnterByLoadAndStore()
    {
        if (_taken != 0)
            return false;
        _taken = 1;
        return true;
    }

    /// <summary>Exits the lock when it is disposed.</summary>
    internal readonly ref struct Scope(ref TinySpinLock held)
    {
        private readonly ref TinySpinLock _held = ref held;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Dispose() => _held.Exit();
    }
}
