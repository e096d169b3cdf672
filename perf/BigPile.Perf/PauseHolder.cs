namespace BigPile.Perf;

/// <summary>What holds the objects of a pause load.</summary>
internal enum PauseHolder
{
    /// <summary>The managed heap: an array refers to them.</summary>
    Heap,

    /// <summary>A pile in native memory: an array has their pointers.</summary>
    Pile,
}
