namespace BigPile.Caching.Operations;

/// <summary>What a put has reserved of the table's limits.</summary>
internal readonly record struct Reservation(bool HasEntry, long FootprintBytes, bool HasEvicted)
{
    /// <summary>The result of a reservation.</summary>
    internal enum Promise
    {
        Given,
        Refused,
        ConditionNotMet,
    }

    /// <summary>Whether it suffices for an entry that replaces an old one, or none.</summary>
    internal bool IsEnough(long footprintBytes, bool hasOld, long oldFootprintBytes) =>
        (HasEntry || hasOld) && FootprintBytes + oldFootprintBytes >= footprintBytes;
}
