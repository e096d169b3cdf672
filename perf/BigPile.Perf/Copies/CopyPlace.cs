namespace BigPile.Perf.Copies;

/// <summary>How much is copied, and whether it is the same bytes again or others each time.</summary>
/// <param name="Name">How it is called.</param>
/// <param name="SizeBytes">The bytes of a copy.</param>
/// <param name="GoesRound">Whether it goes round the pool, and so misses the processor's caches.</param>
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

    /// <summary>The copies between two looks at the clock.</summary>
    internal int Batch => SizeBytes < BatchBytes ? BatchBytes / SizeBytes : 1;

    /// <summary>How far the next copy is from this one.</summary>
    internal int StepBytes => GoesRound ? SizeBytes : 0;
}
