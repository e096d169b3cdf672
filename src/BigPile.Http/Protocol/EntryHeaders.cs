namespace BigPile.Http.Protocol;

/// <summary>The headers that answers of the service have of their own.</summary>
internal static class EntryHeaders
{
    /// <summary>The whole seconds until the entry is gone.</summary>
    internal const string Ttl = "BigPile-Ttl";

    /// <summary>The hashes of the entry's tags, which is all that it holds of them: 16 hexadecimal digits each.</summary>
    internal const string TagHashes = "BigPile-Tag-Hashes";
}
