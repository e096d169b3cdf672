namespace BigPile.Caching;

/// <summary>What tables are called in metrics and traces; meter and source are those of <see cref="PileTelemetry"/>.</summary>
/// <remarks>REFERENCE.md, which is in each package, says what each instrument and each activity means.</remarks>
public static class CacheTelemetry
{
    /// <summary>Reads by key, by <see cref="RequestTypeTag"/>.</summary>
    public const string Requests = "bigpile.cache.requests";

    /// <summary>Puts, by <see cref="WriteResultTag"/>.</summary>
    public const string Writes = "bigpile.cache.writes";

    /// <summary>Entries that went, by <see cref="ReasonTag"/>.</summary>
    public const string Removals = "bigpile.cache.removals";

    /// <summary>Entries.</summary>
    public const string EntryCount = "bigpile.cache.entry.count";

    /// <summary>The most entries.</summary>
    public const string Capacity = "bigpile.cache.capacity";

    /// <summary>Memory of tables, by <see cref="PileTelemetry.MemoryKindTag"/>.</summary>
    public const string UsedMemory = "bigpile.cache.memory.used";

    /// <summary>The most memory.</summary>
    public const string MemoryLimit = "bigpile.cache.memory.limit";

    /// <summary>How long it took to make values that were missing.</summary>
    public const string FactoryDuration = "bigpile.cache.factory.duration";

    /// <summary>How long one sweep of a table for what has expired took.</summary>
    public const string SweepDuration = "bigpile.sweep.duration";

    /// <summary>Bytes of values that were put.</summary>
    public const string PayloadSize = "bigpile.payload.size";

    /// <summary>The activity of bringing the tables of a pile back.</summary>
    public const string OpenActivity = "bigpile.cache.open";

    /// <summary>The activity of making a value that was missing.</summary>
    public const string FactoryActivity = "bigpile.cache.factory";

    /// <summary>The tag with a table's name.</summary>
    public const string TableNameTag = "bigpile.cache.name";

    /// <summary>The tag that says whether a read found something: <c>hit</c> or <c>miss</c>.</summary>
    public const string RequestTypeTag = "bigpile.cache.request.type";

    /// <summary>The tag that says what became of a put: <c>inserted</c>, <c>replaced</c>, <c>overwritten</c> or <c>collision</c>.</summary>
    public const string WriteResultTag = "bigpile.cache.write.result";

    /// <summary>The tag that says why an entry went: <c>removed</c>, <c>expired</c> or <c>capacity</c>.</summary>
    public const string ReasonTag = "reason";
}
