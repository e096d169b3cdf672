namespace BigPile.Perf;

/// <summary>What a sequence is done to.</summary>
internal enum SequenceLayer
{
    /// <summary>A file: records of one length at offsets.</summary>
    File,

    /// <summary>A hash database in a file: keys and values.</summary>
    Hash,
}
