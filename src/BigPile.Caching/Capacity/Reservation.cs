namespace BigPile.Caching.Capacity;

/// <summary>What a put has reserved of the table's limits.</summary>
/// <param name="HasEntry">Whether it has one of the entries that are allowed.</param>
/// <param name="FootprintBytes">The bytes that it has, of <see cref="TableLimits.BlockLimitBytes"/>.</param>
internal readonly record struct Reservation(bool HasEntry, long FootprintBytes)
{
    /// <summary>Whether it suffices for an entry that replaces an old one, or none.</summary>
    internal bool IsEnough(long footprintBytes, bool hasOld, long oldFootprintBytes) =>
        // The old entry passes on its place among the entries, and its bytes.
        (HasEntry || hasOld) && FootprintBytes + oldFootprintBytes >= footprintBytes;
}
