using BigPile.Files;

namespace BigPile.Perf;

/// <summary>What the sequence load is asked to do.</summary>
internal sealed record SequenceOptions
{
    internal const int MaxCount = 1_000_000_000;
    internal const int MaxBytes = 1 << 20; // of a record, and of a value
    internal const int MaxKeyBytes = 4096;

    internal SequenceLayer Layer { get; init; } = SequenceLayer.File;

    /// <summary>The kind of the file; <see langword="null"/> for all of them, one after the other.</summary>
    internal BlockFileKind? Kind { get; init; }

    internal int Count { get; init; } = 1_000_000;

    internal int Threads { get; init; } = 1;

    /// <summary>The bytes of a record of the file layer.</summary>
    internal int SizeBytes { get; init; } = 100;

    internal int KeyBytes { get; init; } = 8;

    internal int ValueBytes { get; init; } = 8;

    /// <summary>The buckets of the hash database; <see langword="null"/> for as many as there are records.</summary>
    internal int? Buckets { get; init; }

    /// <summary>Whether offsets and keys are drawn, so that some come again and some never, and not numbered.</summary>
    internal bool IsRandom { get; init; }

    /// <summary>The user's directory; <see langword="null"/> for a temporary one.</summary>
    internal string? Directory { get; init; }

    /// <summary>The bytes that the user stores with each record.</summary>
    internal int RecordBytes => Layer == SequenceLayer.File ? SizeBytes : KeyBytes + ValueBytes;
}
