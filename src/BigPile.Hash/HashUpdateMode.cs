namespace BigPile.Hash;

/// <summary>What becomes of the room of a record that was replaced or removed.</summary>
public enum HashUpdateMode
{
    /// <summary>It is used again, once nothing that a recovery could need is in it.</summary>
    InPlace,

    /// <summary>It stays unused until the database is opened again, or rebuilt: records come behind others.</summary>
    Appending,
}
