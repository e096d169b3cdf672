namespace BigPile.Caching;

/// <summary>What a put into a table did.</summary>
public enum PutResult
{
    /// <summary>The key is new.</summary>
    Inserted,

    /// <summary>The key had another value before.</summary>
    Replaced,

    /// <summary>The key is new, and entries of other keys went to make room for it.</summary>
    Overwritten,

    /// <summary>
    /// Nothing was put, and a value that the key had is still there: there was no room, and what could have made some is worth more or
    /// is not enough.
    /// </summary>
    Collision,
}
