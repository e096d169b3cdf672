namespace BigPile.Caching;

/// <summary>What a put into a table did.</summary>
public enum PutResult
{
    /// <summary>The key is new.</summary>
    Inserted,

    /// <summary>The key had another value before.</summary>
    Replaced,
}
