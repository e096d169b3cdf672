using BigPile.Hash.Format;

namespace BigPile.Hash.Records;

/// <summary>Where a lookup found a record, or where its chain begins.</summary>
internal struct RecordLocation
{
    /// <summary>
    /// The offset of the link to the record: a bucket, or word 1 of the record before. If the record is absent: its bucket.
    /// </summary>
    internal long Link;

    /// <summary>If the link is in a record, the tag of that record.</summary>
    internal ushort LinkTag;

    /// <summary>The offset of the record, or of damage; 0 if the record is absent.</summary>
    internal long Offset;

    /// <summary>The offset of the first record of the chain, or 0.</summary>
    internal long First;

    /// <summary>How many bytes of the record the caller's buffer holds.</summary>
    internal int BufferedBytes;

    internal RecordHead Head;

    internal readonly int KeyLength => Head.KeyLength;

    internal readonly int ValueLength => (int)Head.ValueLength;
}
