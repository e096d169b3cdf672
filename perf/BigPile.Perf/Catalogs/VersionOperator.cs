namespace BigPile.Perf.Catalogs;

/// <summary>How a dependency compares versions.</summary>
internal enum VersionOperator : byte
{
    /// <summary>Any version will do.</summary>
    None,

    /// <summary><c>&lt;&lt;</c></summary>
    Earlier,

    /// <summary><c>&lt;=</c></summary>
    AtMost,

    /// <summary><c>=</c></summary>
    Exactly,

    /// <summary><c>&gt;=</c></summary>
    AtLeast,

    /// <summary><c>&gt;&gt;</c></summary>
    Later,
}
