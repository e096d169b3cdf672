namespace BigPile.Hash;

/// <summary>What happens to the extent of a record that was replaced or removed.</summary>
public enum HashUpdateMode
{
    /// <summary>It is reused, once no recovery can need it.</summary>
    InPlace,

    /// <summary>It stays unused until the database is opened again or rebuilt: records are only appended.</summary>
    Appending,
}
