namespace BigPile.Perf.Traces;

/// <summary>What the bytes of a trace mean.</summary>
internal enum TraceFormat
{
    /// <summary>A key on each line, whatever it looks like.</summary>
    Keys,

    /// <summary>A number on each line; a star is a mark and no access.</summary>
    Lirs,

    /// <summary>Lines of a first block and a number of blocks, and two fields that do not count.</summary>
    Arc,

    /// <summary>Lines of a kind and a hexadecimal address; 64 bytes are one key.</summary>
    Address,

    /// <summary>Lines of a time, a key and a size.</summary>
    AdaptSize,

    /// <summary>Fields between commas, which the first line names.</summary>
    Csv,

    /// <summary>Keys of 4 bytes.</summary>
    Int32,

    /// <summary>Keys of 8 bytes.</summary>
    Int64,

    /// <summary>Records of 24 bytes, little endian: time (4), key (8), size (4), next access (8).</summary>
    OracleGeneral,

    /// <summary>Commands to a disk, in records of 32 or 40 bytes that tell their version.</summary>
    Vscsi,
}
