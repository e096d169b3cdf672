using System;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>A thread of the process that does something each time a bell is rung, by whomever, and sleeps meanwhile.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReclaimThread
{
    private static readonly TimeSpan Long = TimeSpan.FromDays(1);

    private readonly Doorbell _wakeEvent;
    private readonly Action _work;
    private readonly Thread _thread;
    private readonly uint _rungBefore;
    private volatile bool _isToEnd;

    /// <summary>Begins.</summary>
    /// <param name="wakeEvent">The bell.</param>
    /// <param name="work">What is done, and throws nothing.</param>
    internal ReclaimThread(Doorbell wakeEvent, Action work)
    {
        _wakeEvent = wakeEvent;
        _work = work;
        _rungBefore = wakeEvent.Rung;
        _thread = new Thread(Run) { IsBackground = true, Name = "BigPile.Ports attendant" };
        _thread.Start();
    }

    /// <summary>Ends the thread, and waits for it.</summary>
    internal void End()
    {
        _isToEnd = true;
        _wakeEvent.RingAlways();
        _thread.Join();
    }

    private void Run()
    {
        uint heard = _rungBefore;
        while (!_isToEnd)
        {
            if (_wakeEvent.Rung is var rung && rung != heard)
            {
                heard = rung;
                _work();
            }
            _wakeEvent.Sleep(new Ringing(this, heard), Long);
        }
    }

    private readonly struct Ringing(ReclaimThread owner, uint heard) : IAwaited
    {
        public bool IsThere => owner._isToEnd || owner._wakeEvent.Rung != heard;
    }
}
