using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.Http.Limits;

/// <summary>
/// Tracks requests that wait for their clients, for more of a body or for the client to read, and aborts those that wait too long.
/// </summary>
/// <remarks>
/// Kestrel's data rates compare all bytes sent with all the time taken: one megabyte at once earns an hour of silence; and during shutdown
/// they do not apply at all. This class limits each wait: while the request holds shared buffers, and during shutdown. Thread safety: all
/// members may be called concurrently; a request has one wait at a time.
/// </remarks>
internal sealed class ClientWaits : IDisposable
{
    /// <summary>The longest wait for a client whose request holds shared buffers.</summary>
    internal static readonly TimeSpan MaxHold = TimeSpan.FromSeconds(20);

    /// <summary>The long-run minimum rate of such a client: so many bytes earn one second of waiting.</summary>
    internal const int HeldBytesPerSecond = 32 * 1024;

    /// <summary>The longest wait for a client while the host stops.</summary>
    internal static readonly TimeSpan MaxWhileStopping = TimeSpan.FromSeconds(5);

    /// <summary>Bytes of shared buffers that do not count as holding the quota.</summary>
    internal const int SmallBytes = 64 * 1024;

    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    /// <summary>The waits in progress; also the lock for itself, the timer and the timestamp of the stop.</summary>
    private readonly LinkedList<Wait> _waits = new();
    private readonly CancellationTokenRegistration _onStopping;
    private ITimer? _timer;
    /// <summary>Timestamp of the shutdown's begin; <see langword="null"/>: the host runs.</summary>
    private long? _stoppingSince;

    /// <param name="time">The clock.</param>
    /// <param name="lifetime">Signals the shutdown; <see langword="null"/>: there is no signal.</param>
    internal ClientWaits(TimeProvider time, IHostApplicationLifetime? lifetime)
    {
        _time = time;
        _onStopping = lifetime?.ApplicationStopping.Register(MarkStopping) ?? default;
    }

    /// <summary>Awaits an operation that depends on the client.</summary>
    /// <param name="context">The request.</param>
    /// <param name="waiting">The operation.</param>
    /// <param name="holdsQuota">Whether the request holds more than <see cref="SmallBytes"/> of shared buffers.</param>
    /// <exception cref="OperationCanceledException">The client took too long, and its request was aborted.</exception>
    internal static ValueTask<T> ForAsync<T>(HttpContext context, ValueTask<T> waiting, bool holdsQuota) =>
        waiting.IsCompleted || context.RequestServices?.GetService<ClientWaits>() is not { } waits
            ? waiting
            : waits.ForAsync(new Wait(context, holdsQuota ? BudgetOf(context) : null, waits._time.GetTimestamp()), waiting);

    /// <summary>Credits a client that holds quota with the bytes it has sent or received.</summary>
    internal static void RecordProgress(HttpContext context, long bytes) => context.Features.Get<WaitBudget>()?.Earn(bytes);

    /// <summary>Aborts the requests that have waited too long.</summary>
    internal void AbortSlowClients()
    {
        var late = new List<Wait>();
        lock (_waits)
        {
            for (LinkedListNode<Wait>? node = _waits.First; node != null; node = node.Next)
            {
                if (IsTooLong(node.Value) && node.Value.TryBeginAbort())
                    late.Add(node.Value);
            }
        }
        // Outside the lock: an abort runs callbacks.
        foreach (Wait wait in late)
            wait.Abort();
    }

    public void Dispose()
    {
        _onStopping.Dispose();
        _timer?.Dispose();
    }

    private async ValueTask<T> ForAsync<T>(Wait wait, ValueTask<T> waiting)
    {
        LinkedListNode<Wait> node = Add(wait);
        try
        {
            T result = await waiting.ConfigureAwait(false);
            wait.WaitBudget?.Spend(_time.GetElapsedTime(wait.Since));
            return wait.TryEnd() ? result : throw new OperationCanceledException("The client was too slow, and is cut off.");
        }
        finally
        {
            lock (_waits)
                _waits.Remove(node);
            if (!wait.TryEnd())
                await wait.WhenAborted.ConfigureAwait(false); // until then the context must be this request's
        }
    }

    private LinkedListNode<Wait> Add(Wait wait)
    {
        lock (_waits)
        {
            _timer ??= _time.CreateTimer(static self => ((ClientWaits)self!).AbortSlowClients(), this, Period, Period);
            return _waits.AddLast(wait);
        }
    }

    private bool IsTooLong(Wait wait) =>
        (wait.WaitBudget is { } budget && _time.GetElapsedTime(wait.Since) >= budget.Left)
        || (_stoppingSince is { } since && _time.GetElapsedTime(Math.Max(since, wait.Since)) >= MaxWhileStopping);

    private void MarkStopping()
    {
        lock (_waits)
            _stoppingSince = _time.GetTimestamp();
    }

    private static WaitBudget BudgetOf(HttpContext context)
    {
        if (context.Features.Get<WaitBudget>() is { } known)
            return known;
        var budget = new WaitBudget();
        context.Features.Set(budget);
        return budget;
    }

    /// <summary>How long a client that holds quota may still keep its request waiting: a token bucket of time.</summary>
    private sealed class WaitBudget
    {
        internal TimeSpan Left { get; private set; } = MaxHold;

        internal void Spend(TimeSpan time) => Left -= time;

        internal void Earn(long bytes)
        {
            TimeSpan more = Left + TimeSpan.FromSeconds(bytes / (double)HeldBytesPerSecond);
            Left = more < MaxHold ? more : MaxHold;
        }
    }

    /// <summary>One wait. It ends or is aborted, whichever comes first.</summary>
    private sealed class Wait(HttpContext context, WaitBudget? budget, long since)
    {
        private static readonly TaskCompletionSource Ended = new(); // as the abort of a wait that has ended

        private TaskCompletionSource? _abort; // null while it goes on; interlocked

        internal WaitBudget? WaitBudget => budget;

        internal long Since => since;

        /// <summary>Completes with the abort.</summary>
        internal Task WhenAborted => _abort!.Task;

        /// <summary>Ends it, also again.</summary>
        /// <returns><see langword="false"/> where it is aborted.</returns>
        internal bool TryEnd() => (Interlocked.CompareExchange(ref _abort, Ended, null) ?? Ended) == Ended;

        internal bool TryBeginAbort() =>
            Interlocked.CompareExchange(
                ref _abort, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), null) == null;

        internal void Abort()
        {
            try
            {
                context.Abort();
            }
            finally
            {
                _abort!.SetResult();
            }
        }
    }
}
