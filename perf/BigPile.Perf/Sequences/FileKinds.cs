using BigPile.Files;

namespace BigPile.Perf.Sequences;

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
