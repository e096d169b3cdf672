namespace BigPile.Http.Protocol;

/// <summary>The service's own response headers.</summary>
internal static class EntryHeaders
{
    /// <summary>The seconds until the entry expires.</summary>
    internal const string Ttl = "BigPile-Ttl";

    /// <summary>The hashes of the entry's tags, 16 hexadecimal digits each; an entry stores no more of them.</summary>
    internal const string TagHashes = "BigPile-Tag-Hashes";
}
