using System.Collections.Generic;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Ends the work of tables whose cache goes.</summary>
internal static class Closing
{
    /// <summary>Refuses all later calls, waits for those that run, and does what reads have noted, as nothing is noted any more.</summary>
    internal static void CloseAll(this IReadOnlyCollection<TableCore> cores)
    {
        foreach (TableCore core in cores)
            core.Close();
        CriticalRegion.WaitForQuiescence();
        foreach (TableCore core in cores)
            core.Pile.Engine.Background.TryRun("what reads have noticed", () => core.DrainReadBuffer(waits: true, isClosing: true));
    }
}
