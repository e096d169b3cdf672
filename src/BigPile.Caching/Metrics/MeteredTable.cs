namespace BigPile.Caching.Metrics;

/// <summary>A table as instruments see it.</summary>
internal readonly record struct MeteredTable(
    string Name, TableOptions Options, TableCounters Counters, long Count, TableStatistics Statistics);
