namespace BigPile.Perf;

/// <summary>The single calls that are measured, in their order.</summary>
internal enum CallKind
{
    /// <summary>Of an entry that is there.</summary>
    Get,

    /// <summary>Of a new one.</summary>
    Put,

    /// <summary>Of an entry that is there.</summary>
    Replace,

    /// <summary>Of the new ones.</summary>
    Remove,
}
