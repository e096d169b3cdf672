namespace BigPile.Perf.Policies;

/// <summary>A policy beside which a table is set.</summary>
internal enum PolicyKind
{
    /// <summary>See <see cref="Policies.OwnPolicy"/>.</summary>
    Own,

    /// <summary>See <see cref="Policies.Lru"/>.</summary>
    Lru,

    /// <summary>See <see cref="Policies.S3Fifo"/>.</summary>
    S3Fifo,

    /// <summary>The ConcurrentLru of BitFaster: three queues, about by recency.</summary>
    ConcurrentLru,

    /// <summary>The ConcurrentLfu of BitFaster: W-TinyLFU, its window moved by a hill climber.</summary>
    ConcurrentLfu,

    /// <summary>See <see cref="Policies.Optimum"/>.</summary>
    Optimum,
}
