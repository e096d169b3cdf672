using System;

namespace BigPile.Caching.Index;

/// <summary>Where a table's index is: its head, its lines, and the cells of the table's counters.</summary>
/// <remarks>Thread safety: as <see cref="LineSource"/>.</remarks>
internal abstract unsafe class IndexStorage : IDisposable
{
    /// <summary>Whether what is stored here survives the process.</summary>
    internal abstract bool OutlivesProcess { get; }

    /// <summary>What the index states of itself.</summary>
    internal abstract IndexHead* Head { get; }

    /// <summary>Where buckets are.</summary>
    internal abstract LineSource Buckets { get; }

    /// <summary>Where overflow lines are.</summary>
    internal abstract LineSource Overflow { get; }

    /// <summary>The cells of counters; null where the counters have their own.</summary>
    internal abstract byte* Cells { get; }

    /// <summary>Where changes are noted; none where nothing outlives the process.</summary>
    internal abstract IntentLog? Intents { get; }

    /// <summary>States that the index has all entries of its table.</summary>
    internal abstract void MarkWhole();

    public abstract void Dispose();
}
