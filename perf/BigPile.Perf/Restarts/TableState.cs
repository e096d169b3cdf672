namespace BigPile.Perf.Restarts;

/// <summary>What the last owner left of a table.</summary>
internal enum TableState
{
    /// <summary>It was closed.</summary>
    Closed,

    /// <summary>Its owner was killed in the middle of changes.</summary>
    Killed,

    /// <summary>It was closed, and the files of its index are gone.</summary>
    WithoutIndex,
}
