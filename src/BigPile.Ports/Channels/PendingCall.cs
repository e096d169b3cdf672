using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>A call that waits asynchronously until it is done or cancelled; exactly one of the two.</summary>
/// <param name="tryOnce">Tries the call: whether it is done, and its result.</param>
/// <param name="isThere">Whether trying is worth while.</param>
/// <param name="checkPeer">Checks whether the peer has died.</param>
internal sealed class PendingCall<T>(Func<(bool IsDone, T Result)> tryOnce, Func<bool> isThere, Action checkPeer) : IPending
{
    // Continuations run on the pool, never on the thread that waits for all calls.
    private readonly TaskCompletionSource<T> _source = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationToken _token;
    private WakeEvent _wakeEvent;
    private CancellationTokenRegistration _registration;

    public bool IsThere => _token.IsCancellationRequested || isThere();

    /// <summary>Hands the call over to the waiting thread.</summary>
    internal Task<T> Begin(PendingWork work, WakeEvent wakeEvent, CancellationToken token)
    {
        _token = token;
        _wakeEvent = wakeEvent;
        _registration = token.Register(static call => ((PendingCall<T>)call!)._wakeEvent.SignalAlways(), this); // keeps memory mapped
        try
        {
            work.Add(this);
        }
        catch (ObjectDisposedException)
        {
            _registration.Unregister(); // a token may live long, and would keep the memory mapped
            throw;
        }
        return _source.Task;
    }

    public bool TryFinish()
    {
        try
        {
            if (_token.IsCancellationRequested)
                return IsOver(_source.TrySetCanceled(_token));
            (bool isDone, T result) = tryOnce();
            return isDone && IsOver(_source.TrySetResult(result));
        }
        catch (Exception e)
        {
            return IsOver(_source.TrySetException(e));
        }
    }

    public void CheckPeer() => checkPeer();

    private bool IsOver(bool isSet)
    {
        Debug.Assert(isSet, "A call is done, cancelled or failed: one of these, once.");
        _registration.Unregister();
        return isSet;
    }
}
