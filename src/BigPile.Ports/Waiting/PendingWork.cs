using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Waiting;

/// <summary>All asynchronous waits of a process, and the one thread that does the waiting: never a thread of the pool.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PendingWork(WakeEvent wakeEvent, SpinThenWait waiter)
{
    private static readonly TimeSpan Long = TimeSpan.FromDays(1);

    private readonly Lock _lock = new();
    private readonly List<IPending> _pending = [];
    private Thread? _thread;
    private volatile bool _isToEnd;
    private volatile int _added;

    /// <summary>Adds an operation, which has been announced at its port, to the waiting thread.</summary>
    internal void Add(IPending pending)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isToEnd, this);
            _pending.Add(pending);
            _added++;
            if (_thread == null)
            {
                _thread = new Thread(Run) { IsBackground = true, Name = "BigPile.Ports waiter" };
                _thread.Start();
            }
        }
        wakeEvent.SignalAlways();
    }

    /// <summary>Ends the thread, once all pending operations are over. The ports must be closed already.</summary>
    internal void End()
    {
        lock (_lock)
            _isToEnd = true;
        wakeEvent.SignalAlways();
        Debug.Assert(Thread.CurrentThread != _thread, "Continuations run on other threads: this one would wait for itself.");
        _thread?.Join();
        Debug.Assert(_pending.Count == 0, "A closed arena leaves no call that nobody finishes.");
    }

    private void Run()
    {
        while (true)
        {
            bool isToEnd = _isToEnd; // before the calls: none is added any more then
            int added = _added;
            IPending[] tried = Copy();
            CrashPoints.Pass(PortCrashPoint.CallsCopied);
            if (tried.Length == 0 && isToEnd)
                return;
            bool isAnyOver = false;
            foreach (IPending pending in tried)
                isAnyOver |= TryFinish(pending);
            if (tried.Length == 0)
                wakeEvent.Sleep(new Event(this, tried, added), Long);
            else if (!isAnyOver && !waiter.Wait(wakeEvent, new Event(this, tried, added), TimeSpan.MaxValue))
                Array.ForEach(tried, static pending => pending.CheckPeer());
        }
    }

    private IPending[] Copy()
    {
        lock (_lock)
            return [.. _pending];
    }

    private bool TryFinish(IPending pending)
    {
        if (!pending.IsThere || !pending.TryFinish())
            return false;
        lock (_lock)
        {
            bool isRemoved = _pending.Remove(pending);
            Debug.Assert(isRemoved, "Each call is finished once, by this thread.");
        }
        return true;
    }

    private readonly struct Event(PendingWork work, IPending[] pending, int added) : IAwaited
    {
        public bool IsThere =>
            work._added != added || (work._isToEnd && pending.Length == 0) || Array.Exists(pending, static one => one.IsThere);
    }
}

/// <summary>An operation that is waited for without a thread of its own.</summary>
internal interface IPending
{
    /// <summary>Whether trying is worth while. Checking is cheap.</summary>
    bool IsThere { get; }

    /// <summary>Tries to finish.</summary>
    /// <returns>Whether it is over: done, failed or cancelled.</returns>
    bool TryFinish();

    /// <summary>Checks whether the peer has died; called after a long wait.</summary>
    void CheckPeer();
}
