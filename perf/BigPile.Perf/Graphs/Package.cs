namespace BigPile.Perf.Graphs;

/// <summary>A package as it lies in the pile, written as an application would: nothing in it is there for the codec.</summary>
internal sealed class Package
{
    /// <summary>The package's dense number, by which a walk knows where it was.</summary>
    internal int Number { get; init; }

    internal string Name { get; init; } = "";

    internal string Version { get; init; } = "";

    internal string Architecture { get; init; } = "";

    internal string Section { get; init; } = "";

    internal string Priority { get; init; } = "";

    internal string? Homepage { get; init; }

    internal long InstalledSizeKiB { get; init; }

    internal long SizeBytes { get; init; }

    internal string Description { get; init; } = "";

    internal string[] Tags { get; init; } = [];

    internal string Sha256 { get; init; } = "";

    /// <summary>What it depends on; given once all packages have a pointer.</summary>
    internal Dependency[] Dependencies { get; set; } = [];

    /// <summary>The <see cref="Graphs.Dependents"/> in the pile; invalid when there are none.</summary>
    internal PilePointer Dependents { get; set; }
}
