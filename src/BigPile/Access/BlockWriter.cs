using System;
using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Access;

/// <summary>Stores new payloads.</summary>
/// <remarks>
/// In order: a slot of the caller's own; the payload behind the place of the header; the header, by one store with release, which makes
/// the block live. A kill before leaves a free slot. Each call goes outside and tries again when a flush has made room.
/// </remarks>
internal sealed unsafe class BlockWriter(BlockSpace space)
{
    private readonly Gate _gate = space.Gate;

    /// <summary>Stores a payload that is ready.</summary>
    internal PilePointer Put(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0, int flushes = 0)
    {
        ThreadPresence presence = _gate.EnterToChange();
        try
        {
            Slot slot = space.TakeSlot(payload.Length, Math.Max(payload.Length, preallocateBytes));
            if (Fault.HeaderFirst)
                _ = space.Publish(slot, kind, payload.Length);
            KillPoint.CopyHalf(payload, slot.Start + BlockHeader.SizeBytes, KillWindow.PutHalfOfPayload);
            payload.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, payload.Length));
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return space.Publish(slot, kind, payload.Length);
        }
        catch (PileFullException e) when (space.Room.CanMakeRoom(presence, e, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            space.Exit(presence);
        }
        return Put(payload, kind, preallocateBytes, space.Room.MakeRoom(flushes));
    }

    /// <summary>Stores a string of ASCII characters.</summary>
    internal PilePointer PutAscii(string value, int flushes = 0)
    {
        ThreadPresence presence = _gate.EnterToChange();
        try
        {
            Slot slot = space.TakeSlot(value.Length);
            bool isAscii = AsciiText.TryNarrow(value, slot.Start + BlockHeader.SizeBytes);
            Debug.Assert(isAscii, "The caller has looked: each character is one byte.");
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return space.Publish(slot, BlockKind.String, value.Length);
        }
        catch (PileFullException e) when (space.Room.CanMakeRoom(presence, e, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            space.Exit(presence);
        }
        return PutAscii(value, space.Room.MakeRoom(flushes));
    }

    /// <summary>Stores bytes, all zero.</summary>
    internal PilePointer PutZeros(int lengthBytes, int flushes = 0)
    {
        ThreadPresence presence = _gate.EnterToChange();
        try
        {
            Slot slot = space.TakeSlot(lengthBytes);
            new Span<byte>(slot.Start + BlockHeader.SizeBytes, lengthBytes).Clear();
            return space.Publish(slot, BlockKind.Bytes, lengthBytes);
        }
        catch (PileFullException e) when (space.Room.CanMakeRoom(presence, e, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            space.Exit(presence);
        }
        return PutZeros(lengthBytes, space.Room.MakeRoom(flushes));
    }

    /// <summary>Stores bytes that lie in several places.</summary>
    internal PilePointer PutParts(PinnedParts parts, int flushes = 0)
    {
        ThreadPresence presence = _gate.EnterToChange();
        try
        {
            Slot slot = space.TakeSlot(parts.LengthBytes);
            parts.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, (int)parts.LengthBytes));
            KillPoint.Pass(KillWindow.PutBeforeHeader);
            return space.Publish(slot, BlockKind.Bytes, parts.LengthBytes);
        }
        catch (PileFullException e) when (space.Room.CanMakeRoom(presence, e, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            space.Exit(presence);
        }
        return PutParts(parts, space.Room.MakeRoom(flushes));
    }
}
