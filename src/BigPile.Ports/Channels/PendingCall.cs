using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>A call that waits asynchronously until it is done or cancelled: one of the two, and not both.</summary>
/// <param name="tryOnce">Tries it, and says whether it is done, and with what.</param>
/// <param name="isThere">Whether it is worth trying.</param>
/// <param name="checkPeer">Looks whether the peer is gone.</param>
internal sealed class PendingCall<T>(Func<(bool IsDone, T Result)> tryOnce, Func<bool> isThere, Action checkPeer) : IPending
{
    // Continuations run on the pool: the thread that waits for all is not theirs.
    private readonly TaskCompletionSource<T> _source = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationToken _token;
    private WakeEvent _wakeEvent;
    private CancellationTokenRegistration _registration;

    public bool IsThere => _token.IsCancellationRequested || isThere();

    /// <summary>Hands it over to the thread that waits.</summary>
    internal Task<T> Begin(PendingWork work, WakeEvent wakeEvent, CancellationToken token)
    {
        _token = token;
        _wakeEvent = wakeEvent;
        _registration = token.Register(static call => ((PendingCall<T>)call!)._wakeEvent.SignalAlways(), this); // which keeps the memory mapped
        work.Add(this);
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
        _registration.Unregister();
        return isSet;
    }
}
