using System;

namespace BigPile.Perf;

/// <summary>What the scale load is asked to do.</summary>
internal sealed record ScaleOptions
{
    internal const int MaxMebibytes = 1 << 20;
    internal const int MaxOperations = 1_000_000_000;

    /// <summary>The bytes of each object.</summary>
    internal const int PayloadBytes = 100;

    internal StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>Mebibytes of payloads and headers.</summary>
    internal int Mebibytes { get; init; } = 1024;

    internal int Threads { get; init; } = 1;

    /// <summary>The operations of each phase, whatever the number of objects.</summary>
    internal int Operations { get; init; } = 4_000_000;

    /// <summary>The user's directory for a mapped pile; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>The number of objects: at least one for each thread.</summary>
    internal int Count => (int)Math.Clamp(Mebibytes * (1L << 20) / (PayloadBytes + 8), Threads, Array.MaxLength);

    /// <summary>About the most bytes that the pile takes.</summary>
    internal long PileBytes => Count * (PayloadBytes + 8L) * 9 / 8;
}
