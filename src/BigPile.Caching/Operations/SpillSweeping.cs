using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Frees what is no more by time or tag of what was spilled.</summary>
internal static class SpillSweeping
{
    /// <summary>Frees what is no more of all that was spilled.</summary>
    internal static long SweepAllSpilled(this TableCore core, CancellationToken stop)
    {
        const int RecordsAtOnce = 4096;
        if (core.Spill is not { } spill || !core.HasMortals)
            return 0;
        long freed = 0;
        for (bool isFirst = true; !stop.IsCancellationRequested; isFirst = false)
        {
            core.SweepPlace.Gate.Enter();
            try
            {
                if (isFirst)
                    spill.Sweep.Dispose(); // a round of its own
                freed += core.SweepSpill(spill, RecordsAtOnce);
                if (!spill.Sweep.IsUnderWay)
                    break;
            }
            finally
            {
                core.SweepPlace.Gate.Exit();
            }
        }
        return freed;
    }

    /// <summary>Frees what is no more by time or tag of the next records in the file.</summary>
    /// <remarks>
    /// Once a walk has gone round, nothing is left that the marks concern which there were at its start: who had looked before whether an
    /// entry is dead has written it by then.
    /// </remarks>
    internal static int SweepSpill(this TableCore core, SpillStore spill, int maxRecords)
    {
        core.DrainSpill();
        if (!spill.Sweep.IsUnderWay)
        {
            ulong marksUpTo = core.Tags.Described.LastVersion;
            spill.PassGates();
            spill.Sweep.Begin(spill.BeginWalk(), marksUpTo);
        }
        int freed = 0;
        for (int i = 0; i < maxRecords && spill.Sweep.TryNext(out ReadOnlyMemory<byte> key, out ReadOnlyMemory<byte> block); i++)
        {
            if (core.IsDead(block.Span) && core.TryFree(spill, key.Span))
                freed++;
        }
        return freed;
    }

    private static bool TryFree(this TableCore core, SpillStore spill, ReadOnlySpan<byte> key)
    {
        ulong hash = core.Hash.Of(key);
        PileBuffer block = BufferRental.Rent();
        try
        {
            lock (spill.GateOf(hash).Keys)
            {
                if (!spill.TryReadGated(hash, key, block, out StagedEntry? staged) || staged != null || !core.IsDead(block.WrittenSpan))
                    return false;
                spill.RemoveGated(hash, key);
                core.NoteGone(block.WrittenSpan);
                return true;
            }
        }
        finally
        {
            BufferRental.Return(block);
        }
    }
}
