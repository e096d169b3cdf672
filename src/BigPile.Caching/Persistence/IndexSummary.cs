using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Persistence;

/// <summary>What is saved of a table beside its index.</summary>
internal readonly record struct IndexSummary
{
    internal int TableId { get; init; }

    internal long Entries { get; init; }

    internal long RoomBytes { get; init; }

    internal long PayloadBytes { get; init; }

    internal bool HasMortals { get; init; }

    internal bool HasPriorities { get; init; }

    internal ulong BucketCount { get; init; }

    internal uint OverflowEnd { get; init; }

    internal uint OverflowFirstFree { get; init; }

    internal uint OverflowUsed { get; init; }

    /// <summary>What there is to save of a table.</summary>
    internal static IndexSummary Of(TableCore core) => new()
    {
        TableId = core.Id,
        Entries = core.Counters[Counter.Entries],
        RoomBytes = core.Counters[Counter.RoomBytes],
        PayloadBytes = core.Counters[Counter.PayloadBytes],
        HasMortals = core.HasMortals,
        HasPriorities = core.HasPriorities,
        BucketCount = core.Index.BucketCount,
        OverflowEnd = core.Index.Overflow.End,
        OverflowFirstFree = core.Index.Overflow.FirstFree,
        OverflowUsed = core.Index.Overflow.Used,
    };

    /// <summary>Has an empty table take over what was saved; the lines are to be filled by the caller.</summary>
    internal void ApplyTo(TableCore core)
    {
        core.Index.RestoreSize(BucketCount);
        if (OverflowEnd > 1)
            core.Index.Overflow.Store.EnsureAll(OverflowEnd);
        core.Index.Overflow.Restore(OverflowEnd, OverflowFirstFree, OverflowUsed);
        core.Counters.Reset(Counter.Entries, Entries);
        core.Counters.Reset(Counter.RoomBytes, RoomBytes);
        core.Counters.Reset(Counter.PayloadBytes, PayloadBytes);
        core.HasMortals = HasMortals;
        core.HasPriorities = HasPriorities;
    }
}
