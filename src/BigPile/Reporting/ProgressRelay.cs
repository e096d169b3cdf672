using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Reporting;

/// <summary>
/// Runs a call that holds locks on a thread of its own, and reports its progress on the caller's thread, which holds none.
/// </summary>
/// <remarks>
/// So a receiver may block, or close the pile. The work does not wait for the receiver; the caller does.
/// </remarks>
internal sealed class ProgressRelay : IProgress<PileProgress>, IDisposable
{
    private readonly BlockingCollection<PileProgress> _reports = [];

    private ProgressRelay()
    {
    }

    /// <summary>Runs the call; returns once it has ended and all reports were delivered.</summary>
    internal static void Run(IProgress<PileProgress> receiver, Action<ProgressGauge> call)
    {
        using var relay = new ProgressRelay();
        Task work = Task.Factory.StartNew(
            () => relay.RunToEnd(call), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            foreach (PileProgress report in relay._reports.GetConsumingEnumerable())
                receiver.Report(report);
        }
        finally
        {
            work.GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc/>
    void IProgress<PileProgress>.Report(PileProgress value) => _reports.Add(value);

    public void Dispose() => _reports.Dispose();

    private void RunToEnd(Action<ProgressGauge> call)
    {
        try
        {
            call(new ProgressGauge(this));
        }
        finally
        {
            _reports.CompleteAdding();
        }
    }
}
