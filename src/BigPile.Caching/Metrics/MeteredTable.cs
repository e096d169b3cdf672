namespace BigPile.Caching.Metrics;

/// <summary>A table as instruments see it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Options">How it behaves.</param>
/// <param name="Figures">What each <see cref="Counter"/> says.</param>
/// <param name="Statistics">What it holds.</param>
internal readonly record struct MeteredTable(string Name, TableOptions Options, long[] Figures, TableStatistics Statistics);
