namespace BigPile.Perf.Reports;

/// <summary>The graph of plain objects.</summary>
internal sealed record PlainGraphFigures
{
    /// <summary>From opening the file to the last reference in place.</summary>
    public required double LoadSeconds { get; init; }

    /// <summary>Bytes by which the managed heap grew.</summary>
    public required long ManagedBytes { get; init; }

    /// <summary>Those over all packages.</summary>
    public required double BytesPerPackage { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with nothing but this graph.</summary>
    public required double FullCollectionMs { get; init; }
}
