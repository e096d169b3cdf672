using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile;

/// <summary>Who may come in: everybody, readers only for an instant, or nobody any more.</summary>
/// <remarks>
/// A flush must see whole changes only. It closes the gate to calls that change something, waits until every thread that was inside has
/// left, copies what changed, and opens the gate. A call within a call that it waits for passes; any other one waits.
/// Locks: the flush's, then the closing's, then the gate's.
/// </remarks>
public sealed partial class Pile
{
    private const int GateOpen = 0;
    private const int GateBarred = 1;
    private const int GateReadOnly = 2;
    private const int GateClosed = 3;

    private readonly Lock _barring = new();

    /// <summary>Whether the pile was closed.</summary>
    internal bool IsDisposed => IsClosed;

    private bool IsClosed => Volatile.Read(ref _gate) == GateClosed;

    /// <summary>Runs something while nothing changes. The caller is outside of all calls, and holds <see cref="_closing"/>.</summary>
    private void WhileNothingChanges(Action action)
    {
        lock (_barring)
        {
            Volatile.Write(ref _gate, GateBarred);
            try
            {
                ThreadPresence.WaitForOthers();
                action();
            }
            finally
            {
                Volatile.Write(ref _gate, GateOpen);
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WaitAtGate(ThreadPresence presence)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            int gate = Volatile.Read(ref _gate);
            if (gate == GateClosed)
                RefuseClosed(presence);
            if (gate == GateReadOnly)
                RefuseChange(presence);
            if (gate == GateOpen || (presence.IsNested && presence.IsAwaited))
                return;
            if (presence.IsNested)
            {
                // It came in as a reader, or into another pile: the flush either waits for it, or is over soon.
                spinner.SpinOnce(sleep1Threshold: -1);
                continue;
            }
            presence.Exit();
            lock (_barring)
            {
                // nothing: whoever comes here waits until the gate is open again
            }
            presence.Enter();
        }
    }

    [DoesNotReturn]
    private void RefuseChange(ThreadPresence presence)
    {
        presence.Exit();
        Throw.ReadOnly(DirectoryPath);
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RefuseClosed(ThreadPresence presence)
    {
        presence.Exit();
        throw new ObjectDisposedException(nameof(Pile));
    }
}
