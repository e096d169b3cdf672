using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Runs;

/// <summary>The standard set of loads.</summary>
internal interface IStandardSet
{
    /// <summary>Runs all of them.</summary>
    /// <exception cref="LoadException">This machine has no room for them.</exception>
    /// <exception cref="System.OperationCanceledException">The user stopped it.</exception>
    RunFile Run(ReportOptions options, ILoadProgress progress, CancellationToken stop);
}
