namespace BigPile.Hash.Records;

/// <summary>The result of a lookup.</summary>
internal enum LookupResult
{
    Absent,
    Found,

    /// <summary>The bytes are invalid: they are being changed, or damaged.</summary>
    Invalid,
}
