namespace BigPile.Files;

/// <summary>How an <see cref="IBlockFile"/> accesses its bytes, and whether its operations are atomic.</summary>
public enum BlockFileKind
{
    /// <summary>"std": system calls under one lock, with a read-ahead buffer. Operations are atomic.</summary>
    Standard,

    /// <summary>"mmap-para": mapped into memory; thread-safe, operations are not atomic.</summary>
    MappedParallel,

    /// <summary>"mmap-atom": mapped into memory; operations are atomic.</summary>
    MappedAtomic,

    /// <summary>"pos-para": positional system calls (pread, pwrite); thread-safe, operations are not atomic.</summary>
    PositionalParallel,

    /// <summary>"pos-atom": positional system calls; operations are atomic.</summary>
    PositionalAtomic,
}
