using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Reporting;

namespace BigPile.Lifecycle;

/// <summary>Moves the payloads of links, in the order of their pointers.</summary>
internal sealed class Compactor(BlockStore blocks, BlockWalk walk, Relocator relocator)
{
    private const int EntriesPerBatch = 512;

    /// <summary>Moves what can be moved. The caller is outside of any critical region, and trims afterwards.</summary>
    internal void Run(ProgressGauge gauge, CancellationToken cancellationToken)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A move may flush, and a flush waits for this critical region.");
        var pages = new PageGauge(gauge, blocks.Allocator.Pool.Segments(), blocks.Map);
        var batch = new PileEntry[EntriesPerBatch];
        ulong address = 0;
        while (true)
        {
            int count = walk.Collect(ref address, batch);
            if (count == 0)
                return;
            foreach (PileEntry entry in batch.AsSpan(0, count))
            {
                cancellationToken.ThrowIfCancellationRequested();
                pages.PassTo(entry.Pointer.Address);
                if (relocator.IsLink(entry.Pointer)) // a look without the stripe's lock: most blocks are no links
                    relocator.Move(entry.Pointer);
            }
        }
    }
}
