namespace BigPile.Caching;

/// <summary>The result of a put.</summary>
public enum PutResult
{
    /// <summary>The key is new.</summary>
    Inserted,

    /// <summary>The key had another value before.</summary>
    Replaced,

    /// <summary>The key is new, and entries of other keys were evicted for it.</summary>
    Overwritten,

    /// <summary>
    /// Nothing was put, and the key's present value stays: there was no space, and what could be evicted is worth more or does not suffice.
    /// </summary>
    Collision,
}
