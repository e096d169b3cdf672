using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>Puts, to memory and file.</summary>
internal sealed partial class TableEngine
{
    /// <summary>Puts a value.</summary>
    /// <returns>What happened; <see langword="null"/> when the condition was not met.</returns>
    internal PutResult? Put(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition, out EntryInfo info)
    {
        KeyLimits.CheckLength(key.Bytes.Length);
        var request = new PutRequest(value, kind, condition);
        PutResult? result = PutAnywhere(key, spec, request, out info);
        if (result == PutResult.Collision)
            result = PutAfterSweeps(key, spec, request, out info);
        if (result is not (null or PutResult.Collision))
            Meter.RecordPayload(Name, value.Length); // outside of critical regions: meter listeners are application code
        return result;
    }

    /// <summary>Puts a value into memory, regardless of spilled entries.</summary>
    /// <exception cref="PileException">The pile is full.</exception>
    internal PutResult? PutToMemory(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        var upsert = new Upsert(this, key, spec, request);
        upsert.Run();
        info = upsert.Info;
        return upsert.Failure == null ? upsert.Result : throw upsert.Failure;
    }

    private PutResult? PutAnywhere(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info) =>
        // A tombstone concerns memory only. DiskTier.Remove, which has it put, holds the stripe lock and removes the spilled entry itself.
        Disk is { } disk && !request.IsTombstone ? disk.Put(key, spec, request, out info) : PutToMemory(key, spec, request, out info);

    // Retries a refused put while sweeps free something, for one round of them at most.
    private PutResult? PutAfterSweeps(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        info = default;
        // It does not fit into an empty table: no sweep helps.
        if (request.Value.Length >= Limits.BlockLimitBytes)
            return PutResult.Collision;
        PutResult? result = PutResult.Collision;
        for (int left = Sweep.CallsForSpace(); result == PutResult.Collision && left > 0 && Sweep.TryForSpace(); left--)
        {
            Count(Counter.Collisions, -1); // taken back: only the last refusal counts
            result = PutAnywhere(key, spec, request, out info);
        }
        return result;
    }

    /// <summary>Adds to a counter, from outside of critical regions.</summary>
    internal void Count(Counter counter, int delta = 1)
    {
        using Access.ReadScope scope = EnterReader();
        Counters.Add(scope.Critical, counter, delta);
    }
}
