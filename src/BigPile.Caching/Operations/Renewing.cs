using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching.Operations;

/// <summary>Puts off the expiry of sliding entries that are used, and frees what reads found to be no more.</summary>
/// <remarks>
/// A read only notes what it noticed (<see cref="ReadBuffer"/>). The sweep takes the notes, or a thread of the pool once there are many.
/// What is written then lies a sixteenth of the entry's sliding time ahead: so an entry that is read all the time is written sixteen times
/// in each of its lives, and none ends early.
/// </remarks>
internal static unsafe class Renewing
{
    /// <summary>Puts off the expiry of an entry as a use does.</summary>
    /// <returns>Whether the table has the key.</returns>
    internal static bool Touch(this TableCore core, in KeyProbe key)
    {
        var nothing = default(NothingReader);
        return core.TryReadAgain(key, ref nothing, out _);
    }

    /// <summary>Notes the use of a sliding entry that moves its end. Takes no lock.</summary>
    internal static void NoteUse(this TableCore core, ulong hash, in SlidingUse use)
    {
        if (use.ExpiresAt >= use.End)
            return;
        long now = core.Clock.Now; // once more: a long read may have outlived its entry, and would bring it back
        if (use.ExpiresAt >= CacheClock.Add(now, use.SlidingTicks) || (use.ExpiresAt <= now && !core.IsLive(use, now)))
            return;
        ReadBuffer buffer = core.ReadBuffer;
        if (!buffer.TryNoteUse(use.Payload, use.Version, hash, now, use.SlidingTicks) || buffer.IsToBeTaken)
            core.QueueNotes();
    }

    /// <summary>Notes that a read found an entry that is no more. Takes no lock.</summary>
    internal static void NoteEnd(this TableCore core, ulong hash, in SlidingUse use)
    {
        core.ReadBuffer.NoteEnd(use.Payload, use.Version, hash, core.Clock.Now);
        if (core.ReadBuffer.IsToBeTaken)
            core.QueueNotes();
    }

    /// <summary>Does what reads have noted. The caller is outside.</summary>
    /// <param name="core">The table.</param>
    /// <param name="waits">Whether to wait for another thread that is at it; else that one has them.</param>
    internal static void TakeNotes(this TableCore core, bool waits = false)
    {
        if (core.ReadBufferOrNull is not { Count: > 0 } buffer)
            return;
        if (waits)
            buffer.Gate.Enter();
        else if (!buffer.Gate.TryEnter())
            return;
        try
        {
            if (core.TakeAll(buffer, mayKeep: true))
                return;
            _ = core.Pile.Space.Room.MakeRoom(flushes: 0);
            _ = core.TakeAll(buffer, mayKeep: !buffer.IsToBeTaken);
        }
        finally
        {
            buffer.Gate.Exit();
        }
    }

    /// <summary>Does what reads have noted, and refuses all later calls.</summary>
    internal static void TakeNotesAndClose(this TableCore core)
    {
        core.Pile.Keeper.Background.TryRun("what reads have noticed", () => core.TakeNotes(waits: true));
        core.Close();
    }

    // The block stays where it is as long as the read is inside; its entry need not.
    private static bool IsLive(this TableCore core, in SlidingUse use, long now)
    {
        var head = new EntryHead((byte*)use.Payload);
        return head.Version == use.Version && core.LivenessOf(head, ref now) == Liveness.Live;
    }

    private static void QueueNotes(this TableCore core)
    {
        if (core.ReadBuffer.TryBeginQueued())
            core.Pile.Keeper.Background.Queue($"what reads of the table '{core.Name}' have noticed", core.TakeQueuedNotes);
    }

    private static void TakeQueuedNotes(this TableCore core)
    {
        core.ReadBuffer.EndQueued();
        try
        {
            core.TakeNotes();
        }
        catch (ObjectDisposedException)
        {
            // the table goes, and its notes with it
        }
    }

    // Whether none stays for lack of room.
    private static bool TakeAll(this TableCore core, ReadBuffer buffer, bool mayKeep)
    {
        bool isDone = true;
        for (int number = 0; number < ReadBuffer.Capacity; number++)
            isDone &= core.TakeNote(buffer, number, mayKeep);
        return isDone;
    }

    private static bool TakeNote(this TableCore core, ReadBuffer buffer, int number, bool mayKeep)
    {
        const int mostLooks = 4; // an entry that is used all the time has its turn again
        for (int look = 0; look < mostLooks && buffer.TryPeek(number, out ReadBuffer.Note note); look++)
        {
            if (!core.TryDo(note, mayKeep))
                return false;
            if (buffer.TryClear(number, note))
                break;
        }
        return true;
    }

    // A renewal that finds no room is kept, and counts, while there are few such; else the entry expires as if it had not been used.
    private static bool TryDo(this TableCore core, in ReadBuffer.Note note, bool mayKeep)
    {
        long now = core.Clock.Now;
        ThreadPresence presence = core.EnterToChange();
        try
        {
            using LockedBucket bucket = core.Index.Lock(note.Hash);
            if (!core.TryFindLocked(bucket, note, out LockedEntry entry))
                return true; // replaced, removed, or evicted
            Liveness liveness = core.LivenessOf(entry.Head, ref now);
            if (liveness.IsDead() && !core.IsRebuilding) // else an older block of the key might turn up
                core.DropLocked(presence, entry, liveness.Reason());
            else if (liveness == Liveness.Live && note.IsUse)
                return core.TryRenewLocked(presence, note, entry, mayKeep);
            return true;
        }
        finally
        {
            core.Pile.Space.ExitAfterFree(presence);
        }
    }

    private static bool TryFindLocked(this TableCore core, in LockedBucket bucket, in ReadBuffer.Note note, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        foreach (SlotPlace place in bucket.Matching(note.Hash))
        {
            entry.Place = place;
            if (core.TryViewLocked(place.Value.Address, out entry.Head, out entry.PayloadBytes) && (entry.Head.Payload, entry.Head.Version) == (note.Payload, note.Version))
                return true;
        }
        return false;
    }

    private static bool TryRenewLocked(
        this TableCore core, ThreadPresence presence, in ReadBuffer.Note note, in LockedEntry entry, bool mayKeep)
    {
        if (!entry.Head.IsSliding)
            return true;
        long expiresAt = core.Clock.RenewalOf(entry.Head, note.Time);
        if (expiresAt <= entry.Head.ExpiresAt)
            return true;
        if (core.CopiesToRenew)
            return core.TryCopyToRenewLocked(presence, note.Hash, entry, expiresAt, mayKeep);
        EntryHead.SetExpiry((byte*)note.Payload, expiresAt);
        return true;
    }

    // A mapped block is never changed where it lies: a kill or a power cut must find it whole, and its checksum right.
    private static bool TryCopyToRenewLocked(
        this TableCore core, ThreadPresence presence, ulong hash, in LockedEntry entry, long expiresAt, bool mayKeep)
    {
        if (core.Pile.Space.IsSealed && !core.Pile.Entries.View(entry.Address).IsIntact(entry.Address, core.Pile.Space))
            return true; // damaged: the copy would get a right checksum
        Slot copy;
        try
        {
            copy = core.Pile.Entries.Take(entry.PayloadBytes);
        }
        catch (PileFullException e)
        {
            _ = core.Pile.Space.Room.CanMakeRoom(presence, e, flushes: 0); // so that a full disk's is wanted
            return !mayKeep;
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
        entry.Place.Store(new IndexSlot(hash, copy.Address));
        KillPoint.Pass(KillWindow.RenewalBeforeOldFreed);
        if (!Fault.RenewedFreedFirst)
            core.Pile.Entries.Free(address);
        core.EndNote(note);
        return true;
    }

    private struct NothingReader : IPayloadReader
    {
        public readonly void Read(byte* payload, long lengthBytes, BlockKind kind)
        {
        }
    }
}
