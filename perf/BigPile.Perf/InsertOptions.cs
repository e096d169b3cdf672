using System;

namespace BigPile.Perf;

/// <summary>What the insert load is asked to do.</summary>
internal sealed record InsertOptions
{
    internal const int MaxThreads = 1024;

    internal StoreKind Store { get; init; } = StoreKind.Native;

    internal PayloadSpec Payload { get; init; } = PayloadSpec.String32;

    /// <summary>The codec of objects that are neither text nor bytes.</summary>
    internal LoadCodec Codec { get; init; }

    internal int Count { get; init; } = 1_000_000;

    internal int Threads { get; init; } = 1;

    /// <summary>The user's directory for a mapped pile; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>Whether native segments ask for huge pages.</summary>
    internal bool HugePages { get; init; } = true;

    /// <summary>The most bytes that the pile's segments may take; by default what the machine has free.</summary>
    internal long? MaxBytes { get; init; }

    /// <summary>The most objects: their pointers are in one array.</summary>
    internal static int MaxCount => Array.MaxLength;
}
