using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching.Operations;

/// <summary>Puts off the expiry of sliding entries that are used.</summary>
internal static unsafe class Renewing
{
    /// <summary>Puts off the expiry of an entry as a use does.</summary>
    /// <returns>Whether the table has the key.</returns>
    internal static bool Touch(this TableCore core, in KeyProbe key)
    {
        var nothing = default(NothingReader);
        return core.TryReadAgain(key, ref nothing, out _);
    }

    /// <summary>Puts off the expiry of a sliding entry that was just used. The caller is inside.</summary>
    internal static void Renew(this TableCore core, ThreadPresence presence, in KeyProbe key, long now)
    {
        Debug.Assert(ThreadPresence.Mine.IsInside, "The entry is copied, or changed, inside the pile only.");
        if (now == 0)
            now = core.Clock.Now;
        using LockedBucket bucket = core.Index.Lock(key.Hash);
        if (!core.TryFindLocked(bucket, key, out LockedEntry entry) || !entry.Head.IsSliding)
            return;
        long expiresAt = core.RenewedExpiryOf(entry.Head, now);
        if (expiresAt <= entry.Head.ExpiresAt || core.IsDead(entry.Head, ref now))
            return;
        if (core.CopiesToRenew)
            core.CopyToRenewLocked(presence, key, entry, expiresAt);
        else
            EntryHead.SetExpiry(core.Pile.Entries.View(entry.Address).Payload, expiresAt);
    }

    // A mapped block is never changed where it lies: a kill or a power cut must find it whole, and its checksum right.
    private static void CopyToRenewLocked(
        this TableCore core, ThreadPresence presence, in KeyProbe key, in LockedEntry entry, long expiresAt)
    {
        if (core.Pile.Space.IsSealed && !core.Pile.Entries.View(entry.Address).IsIntact(entry.Address, core.Pile.Space))
            return; // damaged: the copy would get a right checksum
        Slot copy;
        try
        {
            copy = core.Pile.Entries.Take(entry.PayloadBytes);
        }
        catch (PileFullException e)
        {
            // Else the entry expires as if it had not been used.
            presence.WantsRoom = core.Pile.Space.Room.CanMakeRoom(presence, e, flushes: 0);
            return;
        }
        Debug.Assert(copy.CapacityBytes >= entry.PayloadBytes && copy.Address != entry.Address, "The copy is whole before the entry goes.");
        ulong address = entry.Address;
        byte* payload = copy.Start + BlockHeader.SizeBytes;
        Buffer.MemoryCopy(core.Pile.Entries.View(address).Payload, payload, entry.PayloadBytes, entry.PayloadBytes);
        EntryHead.SetExpiry(payload, expiresAt);
        if (Fault.RenewedFreedFirst)
            core.Pile.Entries.Free(address);
        ChangeNote* note = core.Notes == null
            ? null
            : core.Note(presence, copy.Address, address, entry.Head.Version, ownsNew: false, default);
        KillPoint.Pass(KillWindow.RenewalBeforePublish);
        core.Pile.Entries.Publish(copy, entry.PayloadBytes);
        KillPoint.Pass(KillWindow.RenewalBeforeSwing);
        entry.Place.Store(new IndexSlot(key.Hash, copy.Address));
        KillPoint.Pass(KillWindow.RenewalBeforeOldFreed);
        if (!Fault.RenewedFreedFirst)
            core.Pile.Entries.Free(address);
        core.EndNote(note);
    }

    /// <summary>
    /// Tries once more to put off an expiry, after a flush. The caller has left the pile, and found no room for it inside.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void RenewWithRoom(this TableCore core, in KeyProbe key)
    {
        _ = core.Pile.Space.Room.MakeRoom(flushes: 0);
        ThreadPresence presence = core.EnterToChange();
        try
        {
            core.Renew(presence, key, core.Clock.Now);
        }
        catch (KeyNotComparedException)
        {
            // another entry has come into the bucket: this one expires as if it had not been used
        }
        finally
        {
            presence.WantsRoom = false;
            core.Pile.Space.Exit(presence);
        }
    }

    private struct NothingReader : IPayloadReader
    {
        public readonly void Read(byte* payload, long lengthBytes, BlockKind kind)
        {
        }
    }
}
