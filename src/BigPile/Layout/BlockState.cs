namespace BigPile.Layout;

/// <summary>What a block's header says of its slot. <see cref="BlockTransitions"/> has what may follow what.</summary>
internal enum BlockState
{
    /// <summary>No block.</summary>
    Free,

    /// <summary>No block; a power cut brings back the one that was there.</summary>
    UndoableFree,

    /// <summary>An application's object with its own payload.</summary>
    Object,

    /// <summary>An object that one thread changes or leases, or that has a shadow header.</summary>
    BusyObject,

    /// <summary>An object whose payload lies in another block.</summary>
    Link,

    /// <summary>A link that one thread changes or leases, or that has a shadow header.</summary>
    BusyLink,

    /// <summary>The block that a link leads to. Who changes it has made the link busy.</summary>
    Target,

    /// <summary>A table's entry. Who changes it holds its bucket's lock.</summary>
    Entry,
}
