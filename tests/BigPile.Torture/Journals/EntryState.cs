namespace BigPile.Torture.Journals;

/// <summary>A put of a key, or a removal of it: what, and between which instants of the run's clock.</summary>
internal struct EntryState
{
    internal uint Revision;
    internal int LengthBytes;
    internal ulong Version;
    internal long Begin;
    internal long End;

    /// <summary>Of a removal: whether it found the key.</summary>
    internal bool Found;
}
