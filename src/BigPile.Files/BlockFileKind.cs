namespace BigPile.Files;

/// <summary>How a <see cref="IBlockFile"/> gets at its bytes, and what its operations are to each other.</summary>
public enum BlockFileKind
{
    /// <summary>"std": calls to the system behind one lock, and a buffer for reading on. Each operation is seen whole.</summary>
    Standard,

    /// <summary>"mmap-para": mapped into memory; thread-safe, with no atomicity of one operation against another.</summary>
    MappedParallel,

    /// <summary>"mmap-atom": mapped into memory; each operation is seen whole.</summary>
    MappedAtomic,

    /// <summary>"pos-para": calls that name their position; thread-safe, with no atomicity of one operation against another.</summary>
    PositionalParallel,

    /// <summary>"pos-atom": calls that name their position; each operation is seen whole.</summary>
    PositionalAtomic,
}
