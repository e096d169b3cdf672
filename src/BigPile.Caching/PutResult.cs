namespace BigPile.Caching;

/// <summary>What a put into a table did.</summary>
public enum PutResult
{
    /// <summary>The key is new.</summary>
    Inserted,

    /// <summary>The key had another value before.</summary>
    Replaced,

    /// <summary>The key is new, and an entry of another key was ejected to make room for it.</summary>
    Overwritten,

    /// <summary>The key is new and was not put: there was no room, and every entry that could have made some is worth more.</summary>
    Collision,
}
