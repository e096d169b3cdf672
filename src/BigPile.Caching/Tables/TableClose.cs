using System.Collections.Generic;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Closes the tables of a cache.</summary>
internal static class TableClose
{
    /// <summary>Refuses later calls, waits for running ones, then drains the read buffers: nothing is recorded any more.</summary>
    internal static void All(IReadOnlyCollection<TableEngine> tables)
    {
        foreach (TableEngine table in tables)
            table.Close();
        // After all are closed: one wait for all calls that entered before.
        PileRegions.WaitForQuiescence();
        foreach (TableEngine table in tables)
            table.Heap.Background.TryRun("the drain of a read buffer", () => table.Touch.Drain(waits: true, isClosing: true));
    }
}
