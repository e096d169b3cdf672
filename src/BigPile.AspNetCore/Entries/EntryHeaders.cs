namespace BigPile.AspNetCore.Entries;

/// <summary>The headers that answers of the service have of their own.</summary>
internal static class EntryHeaders
{
    /// <summary>The whole seconds until the entry is gone.</summary>
    internal const string Ttl = "BigPile-Ttl";
}
