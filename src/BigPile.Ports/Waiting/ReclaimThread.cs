using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>A thread that runs an action each time an event is signalled, by any process, and sleeps in between.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReclaimThread
{
    private static readonly TimeSpan Long = TimeSpan.FromDays(1);

    private readonly WakeEvent _wakeEvent;
    private readonly Action _work;
    private readonly Thread _thread;
    private readonly uint _signalsBefore;
    private volatile bool _isToEnd;

    /// <summary>Starts the thread.</summary>
    /// <param name="wakeEvent">The event.</param>
    /// <param name="work">The action, which must not throw.</param>
    internal ReclaimThread(WakeEvent wakeEvent, Action work)
    {
        _wakeEvent = wakeEvent;
        _work = work;
        _signalsBefore = wakeEvent.Signals;
        _thread = new Thread(Run) { IsBackground = true, Name = "BigPile.Ports reclaim" };
        _thread.Start();
    }

    /// <summary>Ends the thread, and waits for it.</summary>
    internal void End()
    {
        Debug.Assert(Thread.CurrentThread != _thread, "The thread would wait for itself.");
        _isToEnd = true;
        _wakeEvent.SignalAlways();
        _thread.Join();
    }

    private void Run()
    {
        uint seen = _signalsBefore;
        while (!_isToEnd)
        {
            if (_wakeEvent.Signals is var signals && signals != seen)
            {
                seen = signals;
                _work();
            }
            _wakeEvent.Sleep(new Signaled(this, seen), Long);
        }
    }

    private readonly struct Signaled(ReclaimThread owner, uint seen) : IAwaited
    {
        public bool IsThere => owner._isToEnd || owner._wakeEvent.Signals != seen;
    }
}
