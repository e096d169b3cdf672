using System.Collections.Generic;

namespace BigPile.Perf.Standard;

/// <summary>A part of the standard set: the charts that answer one question, and the loads that they are made from.</summary>
internal interface IStandardPart
{
    /// <summary>What the command line calls it.</summary>
    string Name { get; }

    /// <summary>Its charts, in the order of the page.</summary>
    IReadOnlyList<ChartHead> Charts(StandardBudget budget);

    /// <summary>Its loads, of those that fit.</summary>
    IEnumerable<StandardStep> Steps(StandardBudget budget);
}
