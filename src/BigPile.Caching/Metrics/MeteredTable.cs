namespace BigPile.Caching.Metrics;

/// <summary>A table's figures for instruments.</summary>
/// <param name="Name">The table's name.</param>
/// <param name="Options">Its options.</param>
/// <param name="Figures">The value of each <see cref="Counter"/>.</param>
/// <param name="Statistics">Its statistics.</param>
internal readonly record struct MeteredTable(string Name, TableOptions Options, long[] Figures, TableStatistics Statistics);
