using System;
using System.Runtime.InteropServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching;

/// <summary>Moving a value out of its entry into an object of its own.</summary>
/// <remarks>
/// Order: object filled, and not live; under the lock of the key's bucket the entry that leads to it is published, then the object; index;
/// old entry freed. A kill before the object is live leaves an entry that leads nowhere, which a rebuild drops, and the old entry counts.
/// The other way round it would leave an object that nothing leads to, for ever. All of it is one call of the pile, so that a flush has
/// all or nothing. The slot is given out with a higher generation when the pile is opened again, so nothing else gets the object's pointer.
/// </remarks>
internal sealed unsafe partial class TableCore
{
    /// <summary>Puts a value anew, as an object that its entry owns.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="kind">Its kind.</param>
    /// <param name="spec">How the entry was put.</param>
    /// <param name="version">The version that the entry must have.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="flushes">How often it was tried before; see <see cref="RoomMaker.MakeRoom(int)"/>.</param>
    /// <returns>
    /// What happened: <see langword="null"/> when the entry has another version, <see cref="PutResult.Collision"/> when the table has no
    /// room for it with a pointer; nothing has changed then.
    /// </returns>
    internal PutResult? MoveOut(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, ulong version, out PilePointer pointer,
        int flushes = 0)
    {
        bool hasRoom = true;
        ThreadPresence presence = EnterToChange();
        try
        {
            var movedOut = new MovedOut(Pile.Entries.FillObject(value), EntryHead.BlockKindOf(kind), value.Length);
            KillPoint.Pass(KillWindow.MoveOutBeforeEntry);
            pointer = movedOut.Pointer;
            return PutInside(presence, key, spec, version, movedOut);
        }
        catch (PileFullException) when (Pile.Space.Room.CanMakeRoom(presence, flushes))
        {
            hasRoom = false; // there will be some once what was freed is durably so
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
        flushes = PrepareAgain(key, hasRoom, flushes);
        return MoveOut(key, value, kind, spec, version, out pointer, flushes);
    }

    private PutResult? PutInside(ThreadPresence presence, in KeyProbe key, in EntrySpec spec, ulong version, MovedOut movedOut)
    {
        ulong word = movedOut.Pointer.ToUInt64();
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in word));
        try
        {
            return PutInside(presence, key, bytes, ValueKind.Pointer, spec, Condition.Of(version), movedOut, out _);
        }
        finally
        {
            movedOut.AbandonUnlessLive(Pile);
        }
    }

    /// <summary>An object that is whole, and not live before its entry is.</summary>
    private sealed class MovedOut(Slot slot, BlockKind kind, long payloadBytes)
    {
        private bool _isLive;

        internal PilePointer Pointer => slot.Pointer;

        internal void Publish(Pile pile)
        {
            KillPoint.Pass(KillWindow.MoveOutBeforeObject);
            pile.Entries.PublishObject(slot, kind, payloadBytes);
            _isLive = true;
            if (Fault.ObjectBeforeEntry)
                KillPoint.Pass(KillWindow.MoveOutBeforeObject);
        }

        internal void AbandonUnlessLive(Pile pile)
        {
            if (!_isLive)
                pile.Entries.Abandon(slot, payloadBytes);
        }
    }
}
