using System;

namespace BigPile.Caching.Index;

/// <summary>The memory of a table's index: its head, its lines, and the cells of the table's counters.</summary>
/// <remarks>Thread safety: as <see cref="LineSource"/>.</remarks>
internal abstract unsafe class IndexStorage : IDisposable
{
    /// <summary>Whether the index survives the process.</summary>
    internal abstract bool OutlivesProcess { get; }

    internal abstract IndexHead* Head { get; }

    /// <summary>The memory of the buckets.</summary>
    internal abstract LineSource Buckets { get; }

    /// <summary>The memory of the overflow lines.</summary>
    internal abstract LineSource Overflow { get; }

    /// <summary>The counter cells; null if the counters have memory of their own.</summary>
    internal abstract byte* Cells { get; }

    /// <summary>The intent log; null if the index does not outlive the process.</summary>
    internal abstract IntentLog? Intents { get; }

    /// <summary>Records in the header that the index has all entries of its table.</summary>
    internal abstract void MarkWhole();

    public abstract void Dispose();
}
