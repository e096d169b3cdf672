using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Lifecycle;

namespace BigPile;

/// <summary>
/// The recovery of the pages that were in use when a mapped pile was opened: each is recovered once, at its first use or in the background.
/// </summary>
/// <remarks>
/// A pile can be used as soon as it is open. Until all pages are recovered, statistics count the others as unexamined bytes, and the first
/// access to one takes some microseconds longer, or as long as the device takes to read it.
/// A pile that is opened for reading only recovers nothing: its recovery is complete from the start.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class PileRecovery
{
    private readonly PileEngine _engine;
    private readonly OpeningReport _opening;
    private readonly RecoveryWalk.Plan _plan;
    private readonly Lock _lock = new();
    private CancellationTokenSource _stopping = new();
    private bool _isStopped;
    private int _walkingThread;

    internal PileRecovery(PileEngine engine, RecoveryWalk.Plan plan) =>
        (_engine, _opening, _plan) = (engine, engine.Report, plan);

    /// <summary>Bytes of pages that were in use when the pile was opened.</summary>
    public long TotalBytes => _opening.TotalBytes;

    /// <summary>Bytes of the pages that are not recovered yet.</summary>
    public long RemainingBytes => _engine.LazyRecovery.UnrecoveredBytes;

    /// <summary>Whether every page is recovered: the owner's statistics are exact, and all free space is known.</summary>
    public bool IsComplete => RemainingBytes == 0;

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    /// <remarks>
    /// When the pile is opened for reading only: true as well while its owner is running; but false on other systems than Linux, where a
    /// running owner can't be detected.
    /// </remarks>
    public bool WasClean => _opening.WasClean;

    /// <summary>
    /// Whether the machine was restarted since the last owner, which did not close the pile; also true if that is unknown.
    /// </summary>
    public bool WasPowerCut => _opening.WasPowerCut;

    /// <summary>Blocks that a flush had made durable and that were restored from its log.</summary>
    public long RestoredCount => _opening.RestoredCount;

    /// <summary>Orphans: payloads without an object that a kill had left, and that were freed.</summary>
    public long OrphanCount => _engine.LazyRecovery.OrphanCount;

    /// <summary>Damaged places. What was there is dropped, and never returned.</summary>
    public long FaultCount => _engine.LazyRecovery.Faults.Count;

    /// <summary>Bytes of payload that were dropped, as far as their headers say.</summary>
    public long LostBytes => _engine.LazyRecovery.Faults.LostBytes;

    /// <summary>The first thousand faults.</summary>
    public IReadOnlyList<PileFault> Faults => _engine.LazyRecovery.Faults.Kept;

    /// <summary>Completes when the background work has ended or was stopped. It never fails.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>Whether the background reads all pages, by the options and by how the last owner ended.</summary>
    internal bool ReadsAll => MustRecover || _plan.Warmup is PileWarmup.Touch or PileWarmup.Verify;

    // A reader repairs nothing.
    private bool MustRecover => !WasClean && _engine.Shared == null;

    /// <summary>Starts or continues the recovery of all pages in the background, whatever the options say.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Resume()
    {
        lock (_lock)
        {
            if (_isStopped)
                throw new ObjectDisposedException("Pile");
            if (Completion.IsCompleted)
                Begin(_plan.Warmup == PileWarmup.Verify ? PileWarmup.Verify : PileWarmup.Touch);
        }
    }

    /// <summary>
    /// Stops the background work, and returns once it has stopped. Pages are still recovered at their first use.
    /// </summary>
    public void Pause()
    {
        Task work;
        lock (_lock)
        {
            _stopping.Cancel();
            work = Completion;
        }
        if (Volatile.Read(ref _walkingThread) != Environment.CurrentManagedThreadId)
            work.Wait(); // the work itself, such as its logger, must not wait for its own end
    }

    /// <summary>Starts the background work that the options ask for.</summary>
    internal void Start()
    {
        lock (_lock)
        {
            if (MustRecover && _plan.Warmup is PileWarmup.Off or PileWarmup.Advise)
                Begin(PileWarmup.Touch);
            else if (_plan.Warmup != PileWarmup.Off)
                Begin(_plan.Warmup);
        }
    }

    /// <summary>Stops for good, before the memory is unmapped.</summary>
    internal void Stop()
    {
        lock (_lock)
            _isStopped = true;
        Pause();
    }

    private void Begin(PileWarmup warmup)
    {
        _stopping = new CancellationTokenSource();
        var walk = new RecoveryWalk(_engine, _plan with { Warmup = warmup }, _stopping.Token);
        Completion = _engine.Background.Start("recovering pages", () => Run(walk));
    }

    private void Run(RecoveryWalk walk)
    {
        Volatile.Write(ref _walkingThread, Environment.CurrentManagedThreadId);
        try
        {
            walk.Run();
        }
        finally
        {
            Volatile.Write(ref _walkingThread, 0);
        }
    }
}
