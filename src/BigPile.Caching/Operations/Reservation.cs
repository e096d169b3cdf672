namespace BigPile.Caching.Operations;

/// <summary>Room that a put has been promised.</summary>
internal readonly record struct Reservation(bool HasEntry, long FootprintBytes, bool HasEvicted)
{
    /// <summary>What came of asking for room.</summary>
    internal enum Promise
    {
        Given,
        Refused,
        ConditionNotMet,
    }

    /// <summary>Whether it is enough for an entry, when it has the place of an old one or none.</summary>
    internal bool IsEnough(long footprintBytes, bool hasOld, long oldFootprintBytes) =>
        (HasEntry || hasOld) && FootprintBytes + oldFootprintBytes >= footprintBytes;
}
