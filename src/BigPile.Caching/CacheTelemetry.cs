namespace BigPile.Caching;

/// <summary>The names of tables' metrics and traces; meter and source are those of <see cref="PileTelemetry"/>.</summary>
/// <remarks>REFERENCE.md, which is in each package, says what each instrument and each activity means.</remarks>
public static class CacheTelemetry
{
    /// <summary>Reads by key, by <see cref="RequestTypeTag"/>.</summary>
    public const string Requests = "bigpile.cache.requests";

    /// <summary>Puts, by <see cref="WriteResultTag"/>.</summary>
    public const string Writes = "bigpile.cache.writes";

    /// <summary>Removed entries, by <see cref="ReasonTag"/>.</summary>
    public const string Removals = "bigpile.cache.removals";

    /// <summary>Entries.</summary>
    public const string EntryCount = "bigpile.cache.entry.count";

    /// <summary>The maximum number of entries.</summary>
    public const string Capacity = "bigpile.cache.capacity";

    /// <summary>Memory of tables, by <see cref="PileTelemetry.MemoryKindTag"/>.</summary>
    public const string UsedMemory = "bigpile.cache.memory.used";

    /// <summary>The memory limit.</summary>
    public const string MemoryLimit = "bigpile.cache.memory.limit";

    /// <summary>Readers of a table's changes.</summary>
    public const string FeedReaders = "bigpile.cache.feed.readers";

    /// <summary>How far the slowest reader of a table's changes is behind.</summary>
    public const string FeedLag = "bigpile.cache.feed.lag";

    /// <summary>How long the window of changes holds one.</summary>
    public const string FeedWindow = "bigpile.cache.feed.window";

    /// <summary>The time to make missing values.</summary>
    public const string FactoryDuration = "bigpile.cache.factory.duration";

    /// <summary>The time of one sweep of a table.</summary>
    public const string SweepDuration = "bigpile.sweep.duration";

    /// <summary>Bytes of values that were put.</summary>
    public const string PayloadSize = "bigpile.payload.size";

    /// <summary>The activity of recovering the tables of a pile.</summary>
    public const string OpenActivity = "bigpile.cache.open";

    /// <summary>The activity of making a missing value.</summary>
    public const string FactoryActivity = "bigpile.cache.factory";

    /// <summary>The tag with a table's name.</summary>
    public const string TableNameTag = "bigpile.cache.name";

    /// <summary>The tag that says whether a read found something: <c>hit</c> or <c>miss</c>.</summary>
    public const string RequestTypeTag = "bigpile.cache.request.type";

    /// <summary>The tag with the result of a put: <c>inserted</c>, <c>replaced</c>, <c>overwritten</c> or <c>collision</c>.</summary>
    public const string WriteResultTag = "bigpile.cache.write.result";

    /// <summary>The tag with the reason of a removal: <c>removed</c>, <c>expired</c> or <c>capacity</c>.</summary>
    public const string ReasonTag = "reason";
}
