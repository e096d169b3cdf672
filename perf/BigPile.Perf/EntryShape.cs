namespace BigPile.Perf;

/// <summary>How the entries of a table under load are put.</summary>
internal enum EntryShape
{
    /// <summary>Key and value only.</summary>
    Plain,

    /// <summary>The same, and the table has one more entry, which expires one day.</summary>
    OneExpiring,

    /// <summary>Each expires a day after its last use.</summary>
    Sliding,

    /// <summary>Each has a tag, the same.</summary>
    Tagged,
}
