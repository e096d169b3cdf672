using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Telemetry;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Opens the pile when the host starts, and closes it when the host has stopped serving.</summary>
/// <remarks>
/// The pile closes when all hosted services have stopped, the web server among them, whatever the order in which they were added: so it is
/// there for the last request, and for what a service does when it stops. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileHost : IHostedLifecycleService, IDisposable
{
    private readonly PileOpener _opener;
    private readonly PilePlan _plan;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _closeLock = new();
    private readonly Lock _beginLock = new();
    private Task? _opening;
    private int _openingThread;
    private PileCache? _cache;
    private volatile ServedTables? _tables;
    private volatile PileState _state;
    private volatile bool _opensInBackground;

    public PileHost(
        PileOpener opener, PilePlan plan, IHostApplicationLifetime lifetime, TimeProvider time, ILogger<PileHost> logger)
    {
        _opener = opener;
        _plan = plan;
        _lifetime = lifetime;
        _time = time;
        _logger = logger;
    }

    internal PileState State => _state;

    /// <summary>Whether the host has been told to stop: what runs is finished, and nothing new should come.</summary>
    internal bool IsStopping => Stopping.IsCancellationRequested;

    /// <summary>Is cancelled when the host is told to stop: what runs for nobody's request ends with it.</summary>
    internal CancellationToken Stopping => _lifetime.ApplicationStopping;

    /// <summary>The pile as soon as there is one, also while its tables' entries are being found again.</summary>
    internal PileCache? Opened => _state is PileState.Failed or PileState.Closed ? null : _opener.Opened;

    /// <summary>The tables, while the pile is ready; else <see langword="null"/>.</summary>
    internal ServedTables? Tables => _tables;

    /// <summary>Ends when the pile is ready, or could not be opened.</summary>
    internal Task Opening => Volatile.Read(ref _opening) ?? Task.CompletedTask;

    /// <summary>What the opening took, by parts; zero while it runs.</summary>
    internal (TimeSpan Pile, TimeSpan Tables) OpeningTimes => _opener.Times;

    /// <summary>The names of tables that the application serves as objects; they may be yet to be made.</summary>
    internal ConcurrentDictionary<string, bool> MappedTables { get; } = new(StringComparer.Ordinal);

    /// <summary>Why the pile could not be opened.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>Gives the open pile at once.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open.</exception>
    internal PileCache Cache => _tables?.Cache ?? throw new InvalidOperationException(
        "The pile is not open. It opens when the host starts, and closes when it stops; see /health/ready or the health check.");

    /// <summary>Opens the pile if nobody has yet, and gives it as soon as it is open.</summary>
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

    /// <summary>
    /// Opens the pile if nobody has yet, and gives it once it is open: for services that are made before the host starts.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The pile is closed; or it is still being opened though the host has started, when threads that wait would keep others from being
    /// served.
    /// </exception>
    internal PileCache OpenedCache()
    {
        if (_tables is { } tables)
            return tables.Cache;
        if (_openingThread == Environment.CurrentManagedThreadId && _cache is { } cache)
            return cache; // of code that runs as soon as there is a pile, and is waited for
        if (_opensInBackground && !Begin().IsCompleted)
        {
            throw new InvalidOperationException(
                "The pile is still being opened, and a request can't wait for it. See /health/ready or the health check; a longer "
                + "BigPileOptions.StartWait has the host start only when the pile is open.");
        }
        Begin().GetAwaiter().GetResult();
        return Cache;
    }

    /// <summary>
    /// Begins to open the pile, if nobody has yet. Whoever calls this disposes the host, also if it never starts.
    /// </summary>
    /// <returns>What ends with the opening.</returns>
    internal Task Begin()
    {
        lock (_beginLock)
        {
            // A thread of its own has it begin at once, and may take as long as a walk through the pile does.
            return _opening ??= Task.Factory.StartNew(
                Open, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }
    }

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        Task opening = Begin();
        await Task.WhenAny(opening, Task.Delay(_plan.StartWait, _time, cancellationToken)).ConfigureAwait(false);
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

    /// <summary>Closes the pile, which writes it through and marks it as cleanly closed, however long that takes.</summary>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        lock (_beginLock)
            _opening ??= Task.CompletedTask; // a cache that outlives the host opens nothing
        await Opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Close();
        if (_opensInBackground && Failure is { } failure and not OperationCanceledException)
            ExceptionDispatchInfo.Throw(failure); // so that the process ends as one that failed
    }

    /// <summary>Closes the pile of a host that was not stopped because it did not start.</summary>
    public void Dispose()
    {
        _opensInBackground = false; // who disposes is told of no failure
        StoppedAsync(CancellationToken.None).GetAwaiter().GetResult();
    }

    private void Open()
    {
        _openingThread = Environment.CurrentManagedThreadId;
        try
        {
            _cache = _opener.Open();
            _state = PileState.Preparing;
            foreach (TableRegistration table in _plan.Tables)
                table.Make(_cache);
            Load(_cache);
            _tables = new ServedTables(_cache, _plan.Tables.Select(static table => table.Options.Name), MappedTables, _plan.MaxTables);
            _state = PileState.Ready;
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
        if (_plan.Opened is not { } opened)
            return;
        using Activity? activity = PileActivity.Start(BigPileTelemetry.LoadActivity, PileTelemetry.PileNameTag, cache.Pile.Name);
        _ = activity.Watch(() =>
        {
            opened(cache);
            return cache;
        });
    }

    private async Task StopOnFailureAsync(Task opening)
    {
        await opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!opening.IsFaulted)
            return;
        _logger.LogCritical("The pile can't be opened: {Reason}", opening.Exception!.InnerException!.Message);
        _lifetime.StopApplication();
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
            long started = _time.GetTimestamp();
            cache.Dispose();
            _logger.LogInformation("The pile is closed, after {Seconds:F2} s", _time.GetElapsedTime(started).TotalSeconds);
        }
    }
}
