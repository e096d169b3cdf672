namespace BigPile.Perf.Copies;

/// <summary>A case of the copy load: how much is copied, and whether each copy uses other bytes.</summary>
/// <param name="Name">Its name.</param>
/// <param name="SizeBytes">The bytes of a copy.</param>
/// <param name="GoesRound">Whether it cycles through the pool, and so misses the processor's caches.</param>
internal sealed record CopyPlace(string Name, int SizeBytes, bool GoesRound)
{
    private const int BatchBytes = 1 << 20;

    internal static CopyPlace[] All { get; } =
    [
        new("cache", CopyOptions.SmallBytes, GoesRound: false),
        new("memory", CopyOptions.SmallBytes, GoesRound: true),
        new("image", CopyOptions.ImageBytes, GoesRound: false),
        new("imageMemory", CopyOptions.ImageBytes, GoesRound: true),
    ];

    /// <summary>The copies between two reads of the clock.</summary>
    internal int Batch => SizeBytes < BatchBytes ? BatchBytes / SizeBytes : 1;

    /// <summary>The distance from one copy to the next in bytes.</summary>
    internal int StepBytes => GoesRound ? SizeBytes : 0;
}
