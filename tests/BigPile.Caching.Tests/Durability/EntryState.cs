using System;
using System.Globalization;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What a key had at some instant.</summary>
/// <param name="Value">Its value.</param>
/// <param name="Version">Its version.</param>
/// <param name="ExpiresAt">From when on it is gone, if it is not used before.</param>
/// <param name="Sliding">The time that each use gives, or none.</param>
/// <param name="Priority">Its worth.</param>
/// <param name="Tag">Its tag, or none.</param>
/// <param name="Owned">The object that it owns, or none.</param>
internal sealed record EntryState(
    byte[] Value, ulong Version, DateTimeOffset? ExpiresAt, TimeSpan? Sliding, EntryPriority Priority, string? Tag, PilePointer Owned)
{
    internal bool IsDeadAt(DateTimeOffset now) => ExpiresAt <= now;

    /// <summary>Whether a table has this state; checking it is a use that may have extended its expiry.</summary>
    internal bool Matches(in FoundEntry found, DateTimeOffset now)
    {
        TableEntry<long> entry = found.Entry;
        bool isRenewed = entry.ExpiresAt > ExpiresAt && entry.ExpiresAt <= now + Sliding * 17 / 16; // renewals are written ahead
        return (entry.ExpiresAt == ExpiresAt || isRenewed) && entry.Info.Version == Version && entry.Sliding == Sliding
            && entry.Priority == Priority && found.Value.AsSpan().SequenceEqual(Value) && found.Value != null;
    }

    public override string ToString() =>
        $"{Value.Length} bytes, version {Version}, until {ExpiresAt?.ToString("T", CultureInfo.InvariantCulture) ?? "ever"}, owns {Owned}";
}
