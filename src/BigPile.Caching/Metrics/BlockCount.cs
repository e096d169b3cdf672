namespace BigPile.Caching.Metrics;

/// <summary>What a table counts of its entries' blocks; or by how much that changes.</summary>
internal readonly record struct BlockCount(long Entries, long FootprintBytes, long PayloadBytes)
{
    public static BlockCount operator +(in BlockCount one, in BlockCount other) =>
        new(one.Entries + other.Entries, one.FootprintBytes + other.FootprintBytes, one.PayloadBytes + other.PayloadBytes);

    public static BlockCount operator -(in BlockCount one, in BlockCount other) =>
        new(one.Entries - other.Entries, one.FootprintBytes - other.FootprintBytes, one.PayloadBytes - other.PayloadBytes);
}
