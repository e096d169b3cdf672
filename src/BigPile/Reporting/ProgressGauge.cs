using System;

namespace BigPile.Reporting;

/// <summary>Counts what a call has done, and reports it at each hundredth.</summary>
/// <remarks>
/// What is done never falls, and stays below the total until <see cref="Complete"/>: others may have made more or less to do meanwhile.
/// Thread safety: belongs to the thread that runs the call.
/// </remarks>
internal sealed class ProgressGauge(IProgress<PileProgress>? receiver)
{
    /// <summary>The most reports between the first and the last one.</summary>
    internal const int MaxSteps = 100;

    private long _total;
    private long _done;
    private long _nextReport;

    /// <summary>Whether the total is known.</summary>
    internal bool HasBegun { get; private set; }

    /// <summary>States how much there is to do.</summary>
    internal void Begin(long total)
    {
        HasBegun = true;
        _total = total;
        Report();
    }

    /// <summary>States that so much more is done.</summary>
    internal void Advance(long count) => AdvanceTo(_done + count);

    /// <summary>States how much is done in all.</summary>
    internal void AdvanceTo(long done)
    {
        if (done <= _done)
            return;
        _done = done;
        if (done >= _nextReport && done < _total)
            Report();
    }

    /// <summary>States that everything is done.</summary>
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
