namespace BigPile.Perf;

/// <summary>What single calls are made to.</summary>
internal enum LatencyHolder
{
    /// <summary>A durable table of a pile.</summary>
    Table,

    /// <summary>A pile itself.</summary>
    Pile,
}
