using System;
using BigPile.Files;

namespace BigPile.Perf.Sequences;

/// <summary>What the phases do to a file, or to a database in it.</summary>
/// <remarks>
/// Thread safety: the workers call <see cref="Set"/>, <see cref="Get"/> and <see cref="Remove"/> concurrently, each for records of its own;
/// all else belongs to the thread that owns the load.
/// </remarks>
internal interface ISequence : IDisposable
{
    /// <summary>Whether there is a phase that removes.</summary>
    bool CanRemove { get; }

    void Open(SequencePhase phase);

    void Set(Worker worker, int start, int end);

    void Get(Worker worker, int start, int end);

    void Remove(Worker worker, int start, int end);

    /// <summary>Ends a writing phase, within its time: hands to the system what the process still buffers.</summary>
    void Synchronize();

    /// <summary>Checks the totals after a phase, outside of its time.</summary>
    void Check(SequencePhase phase);

    void Close();
}

/// <summary>A phase of a sequence; each opens the file anew.</summary>
internal enum SequencePhase
{
    Set, // writes to a new file
    Get, // reads what the first phase wrote, and compares it. The file is opened for reading only
    Remove, // removes it
}

/// <summary>A kind of file as a type, so that loops are compiled for each kind separately, whichever kinds ran before.</summary>
internal interface IFileKind
{
    static abstract BlockFileKind Kind { get; }
}

/// <inheritdoc cref="BlockFileKind.Standard"/>
internal readonly struct StandardKind : IFileKind
{
    public static BlockFileKind Kind => BlockFileKind.Standard;
}

/// <inheritdoc cref="BlockFileKind.MappedParallel"/>
internal readonly struct MappedParallelKind : IFileKind
{
    public static BlockFileKind Kind => BlockFileKind.MappedParallel;
}

/// <inheritdoc cref="BlockFileKind.MappedAtomic"/>
internal readonly struct MappedAtomicKind : IFileKind
{
    public static BlockFileKind Kind => BlockFileKind.MappedAtomic;
}

/// <inheritdoc cref="BlockFileKind.PositionalParallel"/>
internal readonly struct PositionalParallelKind : IFileKind
{
    public static BlockFileKind Kind => BlockFileKind.PositionalParallel;
}

/// <inheritdoc cref="BlockFileKind.PositionalAtomic"/>
internal readonly struct PositionalAtomicKind : IFileKind
{
    public static BlockFileKind Kind => BlockFileKind.PositionalAtomic;
}
