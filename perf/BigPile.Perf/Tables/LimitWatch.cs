using System;
using BigPile.Caching;

namespace BigPile.Perf.Tables;

/// <summary>The observed sizes of a table with a limit in bytes while far more was put into it.</summary>
internal sealed class LimitWatch(long limitBytes)
{
    internal long LimitBytes { get; } = limitBytes;

    /// <summary>The keys that were put.</summary>
    internal required long Count { get; init; }

    internal double PutSeconds { get; set; }

    internal double GetSeconds { get; set; }

    /// <summary>The keys that were found afterwards.</summary>
    internal long Found { get; set; }

    internal long MostTableBytes { get; private set; }

    internal long MostProcessBytes { get; private set; }

    internal TableStatistics Statistics { get; set; } = null!;

    /// <summary>Samples the table's own size, and optionally the process's memory.</summary>
    /// <exception cref="LoadException">The table is over its limit.</exception>
    internal void Sample(CacheTable<long, byte[]> table, bool seesProcess)
    {
        long tableBytes = table.Statistics.TotalBytes;
        if (tableBytes > LimitBytes)
            throw new LoadException($"The table takes {tableBytes:N0} bytes, and its limit is {LimitBytes:N0}. The table is at fault.");
        MostTableBytes = Math.Max(MostTableBytes, tableBytes);
        if (seesProcess)
            MostProcessBytes = Math.Max(MostProcessBytes, Environment.WorkingSet);
    }
}
