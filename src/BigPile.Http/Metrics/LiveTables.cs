using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.Http.Metrics;

/// <summary>The existing tables, as the observable instruments of the piles report them; series of other tables can be dropped.</summary>
/// <remarks>Thread safety: none; one collection at a time.</remarks>
internal sealed class LiveTables
{
    private readonly HashSet<string> _names = new(StringComparer.Ordinal);

    /// <summary>Forgets all tables.</summary>
    internal void Clear() => _names.Clear();

    /// <summary>Adds the table that an observation names.</summary>
    internal void Add(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (NameIn(tags) is { } name)
            _names.Add(name);
    }

    /// <summary>Whether a series belongs to a table that was not observed.</summary>
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
