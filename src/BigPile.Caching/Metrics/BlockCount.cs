namespace BigPile.Caching.Metrics;

/// <summary>Entries and their bytes, as counted or as the difference of a change.</summary>
/// <param name="Entries">The number of entries.</param>
/// <param name="FootprintBytes">The bytes of their blocks in the pile, headers and slack included.</param>
/// <param name="PayloadBytes">The bytes of their payloads.</param>
internal readonly record struct BlockCount(long Entries, long FootprintBytes, long PayloadBytes)
{
    public static BlockCount operator +(in BlockCount one, in BlockCount other) =>
        new(one.Entries + other.Entries, one.FootprintBytes + other.FootprintBytes, one.PayloadBytes + other.PayloadBytes);

    public static BlockCount operator -(in BlockCount one, in BlockCount other) =>
        new(one.Entries - other.Entries, one.FootprintBytes - other.FootprintBytes, one.PayloadBytes - other.PayloadBytes);
}
