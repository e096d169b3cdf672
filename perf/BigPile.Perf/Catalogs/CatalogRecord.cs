namespace BigPile.Perf.Catalogs;

/// <summary>One line of a catalog. Fields that it has beyond these are skipped.</summary>
internal sealed record CatalogRecord
{
    /// <summary>The package's name. A catalog may have it in several versions.</summary>
    public required string Id { get; init; }

    public required string Version { get; init; }

    public required string Architecture { get; init; }

    public required string Section { get; init; }

    public required string Priority { get; init; }

    public string? Homepage { get; init; }

    public required long InstalledSizeKiB { get; init; }

    public required long SizeBytes { get; init; }

    public required string Description { get; init; }

    // Not init: generated readers set such properties in any case, and an absent one would become null.
    public string[] Depends { get; set; } = [];

    public string[] Tags { get; set; } = [];

    public required string Sha256 { get; init; }
}
