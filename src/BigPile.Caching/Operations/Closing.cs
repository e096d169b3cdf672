using System.Collections.Generic;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Closes the tables of a cache.</summary>
internal static class Closing
{
    /// <summary>Refuses later calls, waits for running ones, then drains the read buffers: nothing is recorded any more.</summary>
    internal static void CloseAll(this IReadOnlyCollection<TableCore> cores)
    {
        foreach (TableCore core in cores)
            core.Close();
        // After all are closed: one wait for all calls that entered before.
        PileRegions.WaitForQuiescence();
        foreach (TableCore core in cores)
            core.Pile.Engine.Background.TryRun("the drain of a read buffer", () => core.DrainReadBuffer(waits: true, isClosing: true));
    }
}
