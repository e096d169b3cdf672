namespace BigPile.Perf.Reports;

/// <summary>The graph in the pile.</summary>
internal sealed record PileGraphFigures
{
    /// <summary>From opening the file to the last dependency in place.</summary>
    public required double LoadSeconds { get; init; }

    /// <summary>Packages, and the lists of dependents of those that have any.</summary>
    public required long Objects { get; init; }

    /// <summary>Packages that outgrew the room that they were first given.</summary>
    public required long Links { get; init; }

    /// <summary>Bytes that the codec wrote for them.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Bytes of pages in use, headers and slack included.</summary>
    public required long CommittedBytes { get; init; }

    /// <summary>Those over all objects.</summary>
    public required double BytesPerObject { get; init; }

    /// <summary>Those over packages alone, their dependents' lists included.</summary>
    public required double BytesPerPackage { get; init; }

    /// <summary>Bytes by which the managed heap grew: the pointers, and the segments of a managed pile.</summary>
    public required long ManagedBytes { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with nothing but this graph.</summary>
    public required double FullCollectionMs { get; init; }
}
