using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.Http.Limits;

/// <summary>
/// The requests that wait for their clients: for more of a body, or for room to send. Those that wait too long are cut off.
/// </summary>
/// <remarks>
/// The server's own rates count all that was sent against all the time that it took, so that a megabyte at once earns an hour of nothing;
/// and once the server stops it does not look at them at all. Here waits count: while buffers are held that others need, and during a stop.
/// Thread safety: all members may be called concurrently; a request waits for one thing at a time.
/// </remarks>
internal sealed class ClientWaits : IDisposable
{
    /// <summary>How long a client may send nothing, or take nothing, while it holds buffers that all requests share.</summary>
    internal static readonly TimeSpan MaxHold = TimeSpan.FromSeconds(20);

    /// <summary>How fast, in the long run, a client must send or take while it holds them: a second's wait is earned by so much.</summary>
    internal const int HeldBytesPerSecond = 32 * 1024;

    /// <summary>How long a client may send nothing, or take nothing, while the host stops.</summary>
    internal static readonly TimeSpan MaxWhileStopping = TimeSpan.FromSeconds(5);

    /// <summary>So many bytes of what all share are little.</summary>
    internal const int SmallBytes = 64 * 1024;

    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly LinkedList<Wait> _waits = new();
    private readonly CancellationTokenRegistration _onStopping;
    private ITimer? _timer;
    private long? _stoppingSince;

    /// <param name="time">The clock.</param>
    /// <param name="lifetime">Says when the host stops; <see langword="null"/>: nobody does.</param>
    internal ClientWaits(TimeProvider time, IHostApplicationLifetime? lifetime)
    {
        _time = time;
        _onStopping = lifetime?.ApplicationStopping.Register(MarkStopping) ?? default;
    }

    /// <summary>Waits for something that the client has to do.</summary>
    /// <param name="context">The request.</param>
    /// <param name="waiting">What is waited for.</param>
    /// <param name="holdsQuota">Whether the request holds much of what all share.</param>
    /// <exception cref="OperationCanceledException">The client took too long, and is cut off.</exception>
    internal static ValueTask<T> ForAsync<T>(HttpContext context, ValueTask<T> waiting, bool holdsQuota) =>
        waiting.IsCompleted || context.RequestServices?.GetService<ClientWaits>() is not { } waits
            ? waiting
            : waits.ForAsync(new Wait(context, holdsQuota ? BudgetOf(context) : null, waits._time.GetTimestamp()), waiting);

    /// <summary>Says what a client that holds room has sent or taken.</summary>
    internal static void RecordProgress(HttpContext context, long bytes) => context.Features.Get<WaitBudget>()?.Earn(bytes);

    /// <summary>Looks for those that have waited too long.</summary>
    internal void AbortSlowClients()
    {
        var late = new List<Wait>();
        lock (_waits)
        {
            for (LinkedListNode<Wait>? node = _waits.First; node != null; node = node.Next)
            {
                if (IsTooLong(node.Value) && node.Value.TryEnd())
                    late.Add(node.Value);
            }
        }
        foreach (Wait wait in late)
            wait.Context.Abort();
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

    /// <summary>How long the client of a request that holds room may still be waited for.</summary>
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

    /// <summary>One wait: it ends, or is cut, whatever comes first.</summary>
    private sealed class Wait(HttpContext context, WaitBudget? budget, long since)
    {
        private int _isOver;

        internal HttpContext Context => context;

        internal WaitBudget? WaitBudget => budget;

        internal long Since => since;

        internal bool TryEnd() => Interlocked.Exchange(ref _isOver, 1) == 0;
    }
}
