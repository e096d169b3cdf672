using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace BigPile.Perf.Loads;

/// <summary>Threads that run the phases of a load together.</summary>
/// <remarks>
/// The threads live as long as the load. A barrier before and after each phase excludes the start of threads from its time, which is from
/// the first worker's start to the last one's end. Work comes in batches, and a worker checks for cancellation between batches, so that the
/// loops over objects need not. Thread safety: belongs to the thread that created it.
/// </remarks>
internal sealed class WorkerTeam : IDisposable
{
    private const int ReportEveryMs = 250;

    private readonly Worker[] _workers;
    private readonly Thread[] _threads;
    private readonly int _batchObjects;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;
    private readonly Barrier _start;
    private readonly Barrier _end;
    private Batch? _batch; // null lets the threads end
    private Division _division;
    private ExceptionDispatchInfo? _failure;

    internal WorkerTeam(Worker[] workers, int batchObjects, ILoadProgress progress, CancellationToken stop)
    {
        _workers = workers;
        _batchObjects = batchObjects;
        _progress = progress;
        _stop = stop;
        _start = new Barrier(workers.Length + 1);
        _end = new Barrier(workers.Length + 1);
        _threads = Array.ConvertAll(workers, worker => new Thread(() => Work(worker)) { IsBackground = true });
        foreach (Thread thread in _threads)
            thread.Start();
    }

    /// <summary>Runs the phase for the objects from one number up to another.</summary>
    internal delegate void Batch(Worker worker, int start, int end);

    /// <summary>Runs the phase on all workers.</summary>
    /// <returns>The seconds that it took.</returns>
    internal double Run(string phase, Batch batch) => Run(phase, batch, Division.Batches);

    /// <summary>Runs each worker's objects as one batch, which itself must check for cancellation.</summary>
    /// <inheritdoc cref="Run(string, Batch)"/>
    internal double RunWhole(string phase, Batch batch) => Run(phase, batch, Division.Shares);

    /// <summary>Runs all objects on the first worker as one batch, which itself must check for cancellation.</summary>
    /// <inheritdoc cref="Run(string, Batch)"/>
    internal double RunAlone(string phase, Batch batch) => Run(phase, batch, Division.None);

    public void Dispose()
    {
        _batch = null;
        _start.SignalAndWait();
        foreach (Thread thread in _threads)
            thread.Join();
        _start.Dispose();
        _end.Dispose();
    }

    private double Run(string phase, Batch batch, Division division)
    {
        _stop.ThrowIfCancellationRequested();
        foreach (Worker worker in _workers)
            worker.Done = 0;
        _batch = batch;
        _division = division;
        _progress.Begin(phase, _workers[^1].End);
        _start.SignalAndWait();
        while (!_end.SignalAndWait(ReportEveryMs))
            _progress.Report(_workers.Sum(worker => worker.Done));
        _failure?.Throw();
        _stop.ThrowIfCancellationRequested();
        _progress.Report(_workers[^1].End);
        return Stopwatch.GetElapsedTime(_workers.Min(worker => worker.StartedAt), _workers.Max(worker => worker.EndedAt)).TotalSeconds;
    }

    private void Work(Worker worker)
    {
        while (true)
        {
            _start.SignalAndWait();
            if (_batch is not { } batch)
                return;
            worker.StartedAt = Stopwatch.GetTimestamp();
            try
            {
                RunBatches(worker, batch);
            }
            catch (Exception e)
            {
                // The error is rethrown on the owner's thread. The barrier must be reached in any case, or the owner would wait for ever.
                Interlocked.CompareExchange(ref _failure, ExceptionDispatchInfo.Capture(e), null);
            }
            worker.EndedAt = Stopwatch.GetTimestamp();
            _end.SignalAndWait();
        }
    }

    private void RunBatches(Worker worker, Batch batch)
    {
        if (_division == Division.Shares)
            batch(worker, worker.Start, worker.End);
        if (_division == Division.None && worker.Index == 0)
            batch(worker, 0, _workers[^1].End);
        if (_division != Division.Batches)
            return;
        int start = worker.Start;
        while (start < worker.End && !_stop.IsCancellationRequested && Volatile.Read(ref _failure) == null)
        {
            int end = start + Math.Min(_batchObjects, worker.End - start);
            batch(worker, start, end);
            worker.Done = end - worker.Start;
            start = end;
        }
    }

    // The size of a worker's batch.
    private enum Division
    {
        Batches,
        Shares,
        None,
    }
}

/// <summary>One thread's share of a load.</summary>
/// <param name="index">The worker's number, from 0.</param>
/// <param name="start">The number of its first object.</param>
/// <param name="end">One past the number of its last object.</param>
internal sealed class Worker(int index, int start, int end)
{
    private long _done;

    internal int Index { get; } = index;
    internal int Start { get; } = start;
    internal int End { get; } = end;
    internal long StartedAt { get; set; } // the timestamps at which the phase began and ended on this thread

    /// <inheritdoc cref="StartedAt"/>
    internal long EndedAt { get; set; }

    /// <summary>The objects that the phase has processed; written by the worker, read by the progress display.</summary>
    internal long Done
    {
        get => Volatile.Read(ref _done);
        set => Volatile.Write(ref _done, value);
    }

    /// <summary>Divides objects among threads.</summary>
    internal static Worker[] Divide(int count, int threads)
    {
        var workers = new Worker[threads];
        for (int i = 0; i < threads; i++)
            workers[i] = new Worker(i, (int)((long)count * i / threads), (int)((long)count * (i + 1) / threads));
        return workers;
    }

    /// <summary>Deals objects out in turns: a worker's objects are every <paramref name="threads"/>th, from its own number on.</summary>
    /// <remarks>The numbers from <see cref="Start"/> to <see cref="End"/> only count them.</remarks>
    internal static Worker[] Deal(int count, int threads)
    {
        var workers = new Worker[threads];
        int start = 0;
        for (int i = 0; i < threads; i++)
        {
            int end = start + (int)(((long)count - i + threads - 1) / threads);
            workers[i] = new Worker(i, start, end);
            start = end;
        }
        return workers;
    }
}
