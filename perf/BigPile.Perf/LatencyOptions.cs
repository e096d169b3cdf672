using System;
using System.Collections.Generic;
using BigPile.Perf.Loads;

namespace BigPile.Perf;

/// <summary>Options of the load of single calls.</summary>
internal sealed record LatencyOptions
{
    internal const int MaxRate = 10_000_000;
    internal const int MaxCalls = 1_000_000_000; // and as many entries: together they have numbers of an int
    internal const int MaxFlushSeconds = 3600;

    private const long OverheadBytes = 64; // of an entry, about: its header, key, slack, and its place in the index

    internal LatencyHolder Holder { get; init; } = LatencyHolder.Table;

    internal EntryShape Entries { get; init; } = EntryShape.Plain;

    internal IReadOnlyList<CallKind> Calls { get; init; } = Enum.GetValues<CallKind>();

    internal StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>The user's directory for a mapped pile; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>Mebibytes of payloads and headers before anything is measured.</summary>
    internal int Mebibytes { get; init; } = 256;

    internal int ValueBytes { get; init; } = 100;

    /// <summary>Calls a second.</summary>
    internal int Rate { get; init; } = 200_000;

    /// <summary>How long each kind of call is measured.</summary>
    internal int Seconds { get; init; } = 10;

    /// <summary>The time between two concurrent flushes; 0: none.</summary>
    internal double FlushEverySeconds { get; init; }

    /// <summary>Concurrent replacements a second, of other entries; 0: none.</summary>
    internal int ReplaceRate { get; init; }

    /// <summary>Whether there is concurrent work.</summary>
    internal bool IsDisturbed => FlushEverySeconds > 0 || ReplaceRate > 0;

    /// <summary>The entries before anything is measured: at least one for the calls and one for the concurrent work.</summary>
    internal int Count => (int)Math.Clamp(Mebibytes * (1L << 20) / (ValueBytes + 8), 2, MaxCalls);

    /// <summary>The calls of each kind.</summary>
    internal int CallCount =>
        (int)Math.Max(1, Rate * Brevity.Of(TimeSpan.FromSeconds(Seconds), TimeSpan.FromMilliseconds(50)).TotalSeconds);

    /// <summary>About the most bytes that the entries take.</summary>
    internal long NeededBytes => ((long)Count + CallCount) * (ValueBytes + OverheadBytes);
}
