using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.Http.Metrics;

/// <summary>The tables that are there, as the piles' own instruments observe them: what was measured of other ones can go.</summary>
/// <remarks>Thread safety: one look at a time.</remarks>
internal sealed class LiveTables
{
    private readonly HashSet<string> _names = new(StringComparer.Ordinal);

    /// <summary>Forgets what was seen.</summary>
    internal void Clear() => _names.Clear();

    /// <summary>Takes up the table that an observation is of.</summary>
    internal void Add(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (NameIn(tags) is { } name)
            _names.Add(name);
    }

    /// <summary>Whether a series is of a table that was not seen.</summary>
    internal bool Lacks(MetricSeries series) => NameIn(series.Tags) is { } name && !_names.Contains(name);

    private static string? NameIn(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach ((string name, object? value) in tags)
        {
            if (name == CacheTelemetry.TableNameTag)
                return value as string;
        }
        return null;
    }
}
