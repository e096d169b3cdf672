namespace BigPile.Hash.Format;

/// <summary>What lies in a room, as the first word of it says.</summary>
internal enum ExtentKind
{
    /// <summary>No room begins here.</summary>
    None,

    /// <summary>A record.</summary>
    Live,

    /// <summary>A record that was put in the place of one that a power cut could bring back.</summary>
    LiveHiding,

    /// <summary>The word that a key has been removed, of which a power cut could bring a record back.</summary>
    Tombstone,

    /// <summary>Nothing that counts.</summary>
    Dead,
}
