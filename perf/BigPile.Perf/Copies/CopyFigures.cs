using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Copies;

/// <summary>The nanoseconds of a copy, by way and place.</summary>
internal sealed class CopyFigures(CopyMeter[] meters, CopyPlace[] places)
{
    private readonly Dictionary<(CopyMeter Meter, CopyPlace Place), List<double>> _ns = [];

    internal void Add(CopyMeter meter, CopyPlace place, double nsPerCopy)
    {
        if (!_ns.TryGetValue((meter, place), out List<double>? all))
            _ns[(meter, place)] = all = [];
        all.Add(nsPerCopy);
    }

    /// <summary>All rows, way by way.</summary>
    internal IReadOnlyList<CopyRow> Rows() => [.. meters.SelectMany(meter => places.Select(place => RowOf(meter, place)))];

    /// <summary>The row of a way at the first place, 8 KB in cache.</summary>
    internal CopyRow RowOf(IReadOnlyList<CopyRow> rows, string way) => rows.First(row => row.Way == way && row.Place == places[0].Name);

    private CopyRow RowOf(CopyMeter meter, CopyPlace place)
    {
        Spread ns = Spread.Of(_ns[(meter, place)], digits: 2);
        Spread limit = Spread.Of(_ns[(meters[^1], place)], digits: 2);
        return new CopyRow
        {
            Way = meter.Name,
            Place = place.Name,
            SizeBytes = place.SizeBytes,
            NsPerCopy = ns,
            GigabytesPerSecond = Math.Round(place.SizeBytes / ns.Median, 2),
            OfLimit = Math.Round(limit.Median / ns.Median, 3),
        };
    }
}
