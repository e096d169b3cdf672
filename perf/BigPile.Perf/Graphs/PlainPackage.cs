namespace BigPile.Perf.Graphs;

/// <summary>The same as <see cref="Package"/> on the managed heap, with references where that one has pointers.</summary>
internal sealed class PlainPackage
{
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

    internal PlainDependency[] Dependencies { get; set; } = [];

    internal PlainPackage[] Dependents { get; set; } = [];
}
