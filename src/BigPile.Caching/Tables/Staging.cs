using System;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tables;

/// <summary>The first half of an entry's way from memory to a file, which is inside the pile and touches no file.</summary>
internal static unsafe class Staging
{
    /// <summary>Copies an entry that is evicted, to be written by <c>Spilling.DrainSpill</c>. The lock of its bucket is held.</summary>
    /// <returns>Whether it can be had again; a value that was given out as a pointer goes with its object.</returns>
    internal static bool TryStageLocked(this TableCore core, in LockedEntry entry)
    {
        if (core.Spill is not { } spill || entry.Head.Kind is ValueKind.Pointer or ValueKind.Tombstone)
            return false;
        byte* payload = core.Pile.Entries.View(entry.Address).Payload;
        int keyOffset = (int)(entry.Head.Key - payload);
        var key = new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes);
        long used = core.UseNotWritten(entry.Head);
        return spill.TryStageLocked(
            core.Hash.Of(key), entry.Head.Version, new ReadOnlySpan<byte>(payload, (int)entry.PayloadBytes),
            keyOffset..(keyOffset + key.Length), used == 0 ? 0 : core.Clock.RenewalOf(entry.Head, used));
    }
}
