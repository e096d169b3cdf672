using System;

namespace BigPile.Caching;

/// <summary>A table of a <see cref="PileCache"/>, whatever its keys and values are.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public abstract class CacheTable
{
    private protected CacheTable(TableCore core) => Core = core;

    /// <summary>The table's name, unique within its cache.</summary>
    public string Name => Core.Name;

    /// <summary>The number of entries.</summary>
    public long Count => Core.Count;

    /// <summary>What the table holds and did.</summary>
    public TableStatistics Statistics => Core.Statistics;

    /// <summary>The type of its keys.</summary>
    public abstract Type KeyType { get; }

    internal TableCore Core { get; }
}
