using BigPile.Perf.Loads;

namespace BigPile.Perf;

/// <summary>What the restart load of tables is asked to do.</summary>
internal sealed record TableRestartOptions
{
    internal const int MaxEntries = 1_000_000_000;

    /// <summary>Of so many entries one is compared.</summary>
    internal const int ComparedOneIn = 1000;

    /// <summary>How often each way to open is measured.</summary>
    internal static readonly int Rounds = Brevity.Of(usual: 3, brief: 1);

    /// <summary>The entries that fill the table.</summary>
    internal int Entries { get; init; } = 1_000_000;

    internal int ValueBytes { get; init; } = 60;

    /// <summary>The user's directory; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>The user's directory for the index; <see langword="null"/>: it lies with the pile.</summary>
    internal string? IndexDirectory { get; init; }
}
