using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Lifecycle;

namespace BigPile;

/// <summary>
/// What becomes of the pages that were in use when a mapped pile was opened: each is examined once, when it is needed or in turn.
/// </summary>
/// <remarks>
/// A pile can be used as soon as it is open. Until all pages are examined, statistics count the others as unexamined bytes, and the
/// first access to one takes some microseconds longer, or as long as the device takes to read it.
/// Who opens a pile for reading only examines nothing: there are no bytes to examine, and it is complete from the first.
/// Thread safety: all members may be called by any number of threads at once.
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

    /// <summary>Bytes of them that nobody has examined yet.</summary>
    public long RemainingBytes => _engine.LazyRecovery.UnrecoveredBytes;

    /// <summary>Whether every page was examined: the owner's statistics are exact, and all free space is known.</summary>
    public bool IsComplete => RemainingBytes == 0;

    /// <summary>Whether the last owner closed the pile; true for one that is new.</summary>
    /// <remarks>
    /// To who opens it for reading only, true also while its owner is at work; elsewhere than on Linux nobody knows of one: false.
    /// </remarks>
    public bool WasClean => _opening.WasClean;

    /// <summary>
    /// Whether the machine was started anew since the last owner, who did not close the pile; or whether that can't be told.
    /// </summary>
    public bool WasPowerCut => _opening.WasPowerCut;

    /// <summary>Blocks that a flush had made durable and that were put back from its log.</summary>
    public long RestoredCount => _opening.RestoredCount;

    /// <summary>Payloads without an object, which a kill had left, and which were freed.</summary>
    public long OrphanCount => _engine.LazyRecovery.OrphanCount;

    /// <summary>Places that are not what was written. What was there is dropped, and never served.</summary>
    public long FaultCount => _engine.LazyRecovery.Faults.Count;

    /// <summary>Bytes of payload that were dropped, as far as their headers told.</summary>
    public long LostBytes => _engine.LazyRecovery.Faults.LostBytes;

    /// <summary>The first thousand faults.</summary>
    public IReadOnlyList<PileFault> Faults => _engine.LazyRecovery.Faults.Kept;

    /// <summary>Ends when the work in the background has ended or was stopped. It never fails.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>Whether all pages are read in the background, by what the options say and how the last owner ended.</summary>
    internal bool ReadsAll => MustRecover || _plan.Warmup is PileWarmup.Touch or PileWarmup.Verify;

    // Who only reads puts nothing right.
    private bool MustRecover => !WasClean && _engine.Shared == null;

    /// <summary>Begins or goes on with examining all pages in the background, whatever the options say.</summary>
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
    /// Stops the work in the background; the pile goes on examining pages as they are needed. Returns once it has stopped.
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
            work.Wait(); // a listener of the work itself, such as a logger, must not wait for it
    }

    /// <summary>Begins the work that the options ask for.</summary>
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

    /// <summary>Stops for good: the memory is about to go.</summary>
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
        Completion = _engine.Background.Start("examining pages", () => Run(walk));
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
