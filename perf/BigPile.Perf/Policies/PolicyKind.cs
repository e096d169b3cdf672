namespace BigPile.Perf.Policies;

/// <summary>A policy that can be simulated.</summary>
internal enum PolicyKind
{
    /// <summary>See <see cref="Policies.Lru"/>.</summary>
    Lru,

    /// <summary>See <see cref="Policies.S3Fifo"/>.</summary>
    S3Fifo,

    /// <summary>See <see cref="Policies.WTinyLfu"/>.</summary>
    WTinyLfu,

    /// <summary>See <see cref="Policies.Optimum"/>.</summary>
    Optimum,
}
