namespace BigPile.Perf;

/// <summary>What the restart load is asked to do.</summary>
internal sealed record RestartOptions
{
    internal const int MaxMebibytes = 1 << 20;

    /// <summary>The payload of every object: a number and bytes that follow from it.</summary>
    internal const int PayloadBytes = 100;

    /// <summary>Replacements between two flushes.</summary>
    internal const int ScatteredReplaces = 10_000;

    /// <summary>Mebibytes of payloads and headers to fill the pile with.</summary>
    internal int Mebibytes { get; init; } = 1024;

    /// <summary>The user's directory; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>The number of objects.</summary>
    internal long Count => Mebibytes * (1L << 20) / (PayloadBytes + 8);
}
