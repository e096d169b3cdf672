using System;

namespace BigPile.Reporting;

/// <summary>Counts the progress of a call, and reports each hundredth of it.</summary>
/// <remarks>
/// Progress never falls, and stays below the total until <see cref="Complete"/>, even if other threads change the amount of work.
/// Thread safety: the thread that runs the call only.
/// </remarks>
internal sealed class ProgressGauge(IProgress<PileProgress>? receiver)
{
    /// <summary>The most reports between the first and the last.</summary>
    internal const int MaxSteps = 100;

    private long _total;
    private long _done;
    private long _nextReport;

    /// <summary>Whether the total is known.</summary>
    internal bool HasBegun { get; private set; }

    internal void Begin(long total)
    {
        HasBegun = true;
        _total = total;
        Report();
    }

    /// <summary>Adds to what is done.</summary>
    internal void Advance(long count) => AdvanceTo(_done + count);

    /// <summary>Sets what is done.</summary>
    internal void AdvanceTo(long done)
    {
        if (done <= _done)
            return;
        _done = done;
        if (done >= _nextReport && done < _total)
            Report();
    }

    /// <summary>Reports that everything is done.</summary>
    internal void Complete()
    {
        _done = _total;
        Report();
    }

    private void Report()
    {
        _nextReport = _done + Math.Max(1, (_total + MaxSteps - 1) / MaxSteps);
        receiver?.Report(new PileProgress(_done, _total));
    }
}
