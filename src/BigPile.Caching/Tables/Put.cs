using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;

namespace BigPile.Caching.Tables;

/// <summary>Puts values, to memory and file.</summary>
internal readonly struct Put(TableEngine table)
{
    /// <summary>Puts a value.</summary>
    /// <returns>What happened, or <see cref="Condition.NotMet"/>.</returns>
    internal PutResult Run(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition, out EntryInfo info)
    {
        KeyLimits.CheckLength(key.Bytes.Length);
        var request = new PutRequest(value, kind, condition);
        PutResult result = Anywhere(key, spec, request, out info);
        if (result == PutResult.Collision)
            result = AfterSweeps(key, spec, request, out info);
        if (result is not (Condition.NotMet or PutResult.Collision))
            table.Meter.RecordPayload(table.Name, value.Length); // outside of critical regions: meter listeners are application code
        return result;
    }

    /// <summary>Puts a value into memory, regardless of spilled entries.</summary>
    /// <exception cref="PileException">The pile is full.</exception>
    internal PutResult ToMemory(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        scoped Upsert upsert = default;
        upsert.Prepare(table, key, spec, request);
        upsert.Run();
        info = upsert.Info;
        return upsert.Failure == null ? upsert.Result : throw upsert.Failure;
    }

    private PutResult Anywhere(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info) =>
        // A tombstone concerns memory only. DiskTier.Remove, which has it put, holds the stripe lock and removes the spilled entry itself.
        table.Disk is { } disk && !request.IsTombstone ? disk.Put(key, spec, request, out info) : ToMemory(key, spec, request, out info);

    // Retries a refused put while sweeps free something, for one round of them at most.
    private PutResult AfterSweeps(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        info = default;
        // It does not fit into an empty table: no sweep helps.
        if (request.Value.Length >= table.Limits.BlockLimitBytes)
            return PutResult.Collision;
        PutResult result = PutResult.Collision;
        for (int left = table.Sweep.CallsForSpace(); result == PutResult.Collision && left > 0 && table.Sweep.TryForSpace(); left--)
        {
            table.Count(Counter.Collisions, -1); // taken back: only the last refusal counts
            result = Anywhere(key, spec, request, out info);
        }
        return result;
    }
}
