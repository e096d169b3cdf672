namespace BigPile.Hash.Format;

/// <summary>What an extent holds, as its first word says.</summary>
internal enum ExtentKind
{
    /// <summary>No extent begins here.</summary>
    None,

    /// <summary>A record.</summary>
    Live,

    /// <summary>A record that replaced one which a power cut could bring back.</summary>
    LiveHiding,

    /// <summary>States that a key was removed, since a power cut could bring a record of it back.</summary>
    Tombstone,

    /// <summary>Nothing valid.</summary>
    Dead,
}
