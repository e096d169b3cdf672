using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Opens the pile when the host starts, and closes it after the host has stopped serving.</summary>
/// <remarks>
/// The pile closes after all hosted services have stopped, including the web server and regardless of registration order, so it is open for
/// the last request and for services that use it while they stop. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileHost(
    PileOpener opener, PilePlan plan, IHostApplicationLifetime lifetime, TimeProvider time, ILogger<PileHost> logger)
    : IHostedLifecycleService, IDisposable
{
    private readonly ILogger _logger = logger;
    private readonly Lock _closeLock = new();
    private readonly Lock _beginLock = new();
    private Task? _opening; // set once under _beginLock; null until the opening begins
    private int _openingThread; // the id of the thread inside Open, which alone writes it; 0: none
    private PileCache? _cache; // set by Open; cleared under _closeLock
    private volatile ServedTables? _tables; // null unless the pile is ready; set by Open, cleared under _closeLock
    private volatile PileState _state;
    private volatile bool _opensInBackground;

    internal PileState State => _state;

    /// <summary>Whether the host is stopping: running work ends, new work should not begin.</summary>
    internal bool IsStopping => Stopping.IsCancellationRequested;

    /// <summary>Cancelled when the host is told to stop. Work that serves no request ends with it.</summary>
    internal CancellationToken Stopping => lifetime.ApplicationStopping;

    /// <summary>The pile as soon as it exists, also while its tables' entries are being found.</summary>
    internal PileCache? Opened => _state is PileState.Failed or PileState.Closed ? null : opener.Opened;

    /// <summary>The tables while the pile is ready; otherwise <see langword="null"/>.</summary>
    internal ServedTables? Tables => _tables;

    /// <summary>Completes when the pile is ready or could not be opened.</summary>
    internal Task Opening => Volatile.Read(ref _opening) ?? Task.CompletedTask;

    /// <summary>The time to open the pile, and then its tables; zero until both are done.</summary>
    internal (TimeSpan Pile, TimeSpan Tables) OpeningTimes => opener.Times;

    /// <summary>The names of tables that the application serves as objects; a table need not exist yet.</summary>
    internal ConcurrentDictionary<string, bool> MappedTables { get; } = new(StringComparer.Ordinal);

    /// <summary>Why the pile could not be opened.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>The open pile, without waiting.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open.</exception>
    internal PileCache Cache => _tables?.Cache ?? throw new InvalidOperationException(
        "The pile is not open. It opens when the host starts, and closes when it stops; see /health/ready or the health check.");

    /// <summary>Opens the pile if necessary, and returns it once it is open.</summary>
    /// <exception cref="InvalidOperationException">The pile is closed.</exception>
    internal async ValueTask<PileCache> WaitForCacheAsync(CancellationToken cancellationToken)
    {
        if (_tables is not { } tables)
        {
            await Begin().WaitAsync(cancellationToken).ConfigureAwait(false);
            return Cache;
        }
        return tables.Cache;
    }

    /// <summary>Opens the pile if necessary, and blocks until it is open: for services that are created before the host starts.</summary>
    /// <exception cref="InvalidOperationException">
    /// The pile is closed; or it still opens although the host has started, when blocked threads would starve other requests.
    /// </exception>
    internal PileCache OpenedCache()
    {
        if (_tables is { } tables)
            return tables.Cache;
        if (_openingThread == Environment.CurrentManagedThreadId && _cache is { } cache)
            return cache; // called on the opening thread itself, which must not wait for the opening
        if (_opensInBackground && !Begin().IsCompleted)
        {
            throw new InvalidOperationException(
                "The pile is still being opened, and a request can't wait for it. See /health/ready or the health check; a longer "
                + "BigPileOptions.StartWait has the host start only when the pile is open.");
        }
        Begin().GetAwaiter().GetResult();
        return Cache;
    }

    /// <summary>Begins to open the pile if necessary. The caller must dispose the host, even if it never starts.</summary>
    /// <returns>A task that completes with the opening.</returns>
    internal Task Begin()
    {
        lock (_beginLock)
        {
            // A dedicated thread: it starts at once, and a walk through the pile may occupy it for long.
            return _opening ??= Task.Factory.StartNew(
                Open, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }
    }

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        Task opening = Begin();
        await Task.WhenAny(opening, Task.Delay(plan.StartWait, time, cancellationToken)).ConfigureAwait(false);
        if (opening.IsCompleted)
        {
            await opening.ConfigureAwait(false);
            return;
        }
        _opensInBackground = true;
        _logger.LogInformation(
            "The pile is still being opened: its HTTP service answers 503 until it is ready, caches wait, and requests get no tables");
        _ = StopOnFailureAsync(opening);
    }

    /// <inheritdoc/>
    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Closes the pile: writes it through and marks it as cleanly closed, however long that takes.</summary>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        lock (_beginLock)
            _opening ??= Task.CompletedTask; // a cache that outlives the host must not open the pile
        await Opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Close();
        if (_opensInBackground && Failure is { } failure and not OperationCanceledException)
            ExceptionDispatchInfo.Throw(failure); // so that the process exits with a failure
    }

    /// <summary>Closes the pile of a host that never started, and so was never stopped.</summary>
    public void Dispose()
    {
        _opensInBackground = false; // Dispose does not throw the opening's failure
        StoppedAsync(CancellationToken.None).GetAwaiter().GetResult();
    }

    private void Open()
    {
        _openingThread = Environment.CurrentManagedThreadId;
        try
        {
            _cache = opener.Open();
            _state = PileState.Preparing;
            foreach (TableRegistration table in plan.Tables)
                table.Make(_cache);
            Load(_cache);
            _tables = new ServedTables(
                _cache, plan.Tables.Select(static table => table.Options.Name), MappedTables, plan.MaxTables, _logger);
            _state = PileState.Ready;
            foreach (string advice in plan.Advice)
                _logger.LogWarning("{Advice}", advice);
        }
        catch (Exception e)
        {
            Failure = e;
            _state = PileState.Failed;
            throw;
        }
        finally
        {
            _openingThread = 0;
        }
    }

    private void Load(PileCache cache)
    {
        if (plan.Opened is not { } opened)
            return;
        using Activity? activity = HostActivity.Start(BigPileTelemetry.LoadActivity, PileTelemetry.PileNameTag, cache.Pile.Name);
        try
        {
            opened(cache);
        }
        catch (Exception e)
        {
            activity.Fail(e);
            throw;
        }
    }

    private async Task StopOnFailureAsync(Task opening)
    {
        await opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!opening.IsFaulted)
            return;
        _logger.LogCritical("The pile can't be opened: {Reason}", opening.Exception!.InnerException!.Message);
        lifetime.StopApplication();
    }

    private void Close()
    {
        lock (_closeLock)
        {
            _tables = null;
            if (_state != PileState.Failed)
                _state = PileState.Closed;
            PileCache? cache = _cache;
            _cache = null;
            if (cache == null)
                return;
            long started = time.GetTimestamp();
            cache.Dispose();
            _logger.LogInformation("The pile is closed, after {Seconds:F2} s", time.GetElapsedTime(started).TotalSeconds);
        }
    }
}

/// <summary>The state of a host's pile.</summary>
internal enum PileState
{
    Opening,
    Preparing,
    Ready,
    Failed,
    Closed,
}
