using BigPile.Hash.Format;

namespace BigPile.Hash.Records;

/// <summary>Where a record was found, or where its chain begins.</summary>
internal struct RecordLocation
{
    /// <summary>The link that leads to the record: a bucket, or within the record before. Where it is not there: its bucket.</summary>
    internal long Link;

    /// <summary>Where the link is within a record, that one's tag.</summary>
    internal ushort LinkTag;

    /// <summary>The record; 0 when it is not there. Where something is wrong, its offset.</summary>
    internal long Offset;

    /// <summary>The first record of the chain, or 0.</summary>
    internal long First;

    /// <summary>How many bytes of the record lie in the caller's room.</summary>
    internal int BufferedBytes;

    internal RecordHead Head;

    internal readonly int KeyLength => Head.KeyLength;

    internal readonly int ValueLength => (int)Head.ValueLength;
}
