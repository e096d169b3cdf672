namespace BigPile.Hash.Records;

/// <summary>What came of looking for a record.</summary>
internal enum LookupResult
{
    Absent,
    Found,

    /// <summary>There are bytes that can't be: somebody changes them, or they are damaged.</summary>
    Invalid,
}
