namespace BigPile.Torture.Journals;

/// <summary>A put of a key, or a removal of one or of many: what, and between which instants of the run's clock.</summary>
internal struct EntryState
{
    internal ulong Version;
    internal long Begin;
    internal long End;

    /// <summary>Before this instant of the tables' time the entry is there; zero: it never expires.</summary>
    internal long ExpiresFrom;

    /// <summary>From this instant of the tables' time on it is not.</summary>
    internal long ExpiresAt;
    internal uint Revision;
    internal int LengthBytes;

    /// <summary>The tag that it was put with; 0: none.</summary>
    internal int Tag;

    /// <summary>Of a put: whether the value is an object of its own.</summary>
    internal bool IsOwned;

    /// <summary>Of a put: whether the entry stays what it is, and only the object that it owns is replaced.</summary>
    internal bool KeepsVersion;

    /// <summary>Of a removal: whether it found the key. Of a flushed state: whether a removal of it was flushed as well.</summary>
    internal bool Found;
}
