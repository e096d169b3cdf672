using System;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>What tables need beside single entries: entries in two steps, versions from a floor, leases, and a walk in parts.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>
    /// How far ahead versions are reserved when they follow a clock: a second, as <see cref="NextVersion(ulong)"/> is told to count.
    /// </summary>
    internal const ulong ClockVersionStep = 1000UL << ClockVersionShift;

    /// <summary>The bits of a version below its millisecond.</summary>
    internal const int ClockVersionShift = 20;

    /// <summary>Tells this opening of the pile from every other one.</summary>
    internal Guid SessionId { get; } = Guid.NewGuid();

    /// <summary>The id of a mapped pile; of other piles, that of the session.</summary>
    internal Guid Id => _directory?.PileId ?? SessionId;

    /// <summary>Whether the pile was new, or was closed by its last owner.</summary>
    internal bool WasClean => _directory?.WasClean ?? true;

    /// <summary>The highest version that was given out.</summary>
    internal ulong LastVersion => Volatile.Read(ref _versions.Last);

    /// <summary>The end of the addresses that may hold blocks at this instant.</summary>
    internal ulong EndAddress => _map.AddressOf(_allocator.Pool.SegmentsEnd);

    /// <summary>The addresses of one segment.</summary>
    internal ulong SegmentUnits => _map.AddressOf(1);

    /// <summary>The bytes of pages that a block with such a payload takes, header and slack included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long RoomBytesOf(long payloadBytes)
    {
        long blockBytes = payloadBytes + BlockHeader.SizeBytes + (_isSealed ? BlockSeal.TailBytesFor(payloadBytes) : 0);
        return blockBytes <= SizeClasses.MaxSlotBytes
            ? SizeClasses.SlotBytes(SizeClasses.ClassOf((int)blockBytes))
            : (blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes * SizeClasses.PageBytes;
    }

    /// <summary>The next version that is at least a floor: higher than every one before, also across restarts and kills.</summary>
    internal ulong NextVersion(ulong floor)
    {
        if (Fault.VersionFromLive)
            floor = 0; // a clock would hide what this control is about
        while (true)
        {
            ulong last = Volatile.Read(ref _versions.Last);
            ulong version = Math.Max(last + 1, floor);
            if (Interlocked.CompareExchange(ref _versions.Last, version, last) != last)
                continue;
            if (version > Volatile.Read(ref _versions.Limit))
                RaiseVersionLimit(version, floor + ClockVersionStep);
            return version;
        }
    }

    /// <summary>Takes room for an entry, to be filled and then published or abandoned. Nobody sees it before.</summary>
    internal Slot TakeEntry(long payloadBytes) => TakeSlot(payloadBytes);

    /// <summary>Publishes a filled entry.</summary>
    internal void PublishEntry(Slot slot, long payloadBytes) => _ = Publish(slot, BlockKind.TableEntry, payloadBytes);

    /// <summary>Gives back the room of an entry that was never published.</summary>
    internal void AbandonEntry(Slot slot, long payloadBytes)
    {
        var never = new BlockHeader(BlockKind.TableEntry, slot.Generation, (ulong)payloadBytes);
        Volatile.Write(ref *(ulong*)slot.Start, never.Freed.Word);
        _allocator.Return(slot.Address, never);
    }

    /// <summary>Takes room for an object and fills it. Nobody sees it before it is published; or it is abandoned, as an entry is.</summary>
    internal Slot FillObject(ReadOnlySpan<byte> payload)
    {
        Slot slot = TakeSlot(payload.Length);
        payload.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, payload.Length));
        return slot;
    }

    /// <summary>Publishes an object whose slot was filled.</summary>
    internal void PublishObject(Slot slot, BlockKind kind, long payloadBytes) => _ = Publish(slot, kind, payloadBytes);

    /// <summary>Brings the first lines of a block towards the processor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchEntry(ulong address)
    {
        byte* start = _map.Find(address, out _);
        if (start == null || !Sse.IsSupported)
            return;
        Sse.Prefetch0(start);
        Sse.Prefetch0(start + 64);
    }

    /// <summary>Leases a part of an entry's payload. Its table's lock for the key is held, so the entry is not freed meanwhile.</summary>
    internal PileLease LeaseEntry(ulong address, int offsetBytes, int lengthBytes, BlockKind kind)
    {
        byte* start = _map.Find(address, out _);
        return Entered(new PileLease(this, address, start + BlockHeader.SizeBytes + offsetBytes, lengthBytes, PayloadKindOf(kind)));
    }

    /// <summary>Deletes what a pointer names; the caller is inside the pile, and called <see cref="MakeRoomToMove"/> before.</summary>
    internal bool TryDeleteInside(PilePointer pointer) => TryFreePlain(pointer) || TryFree(pointer, usesReserve: true);

    /// <summary>Collects the addresses of table entries from an address on, by the pile's own walk.</summary>
    /// <param name="address">Where to go on; raised.</param>
    /// <param name="end">Where to end; the start of a segment.</param>
    /// <param name="room">Room for the walk's records.</param>
    /// <param name="found">The addresses; as long as the room.</param>
    /// <returns>How many were found; <paramref name="address"/> reaches the end when there are no more.</returns>
    internal int CollectEntries(ref ulong address, ulong end, Span<PileEntry> room, Span<ulong> found)
    {
        int walked = Collect(ref address, room);
        int count = 0;
        foreach (PileEntry entry in room[..walked])
        {
            if (entry.Kind == PayloadKind.TableEntry && entry.Pointer.Address < end)
                found[count++] = entry.Pointer.Address;
        }
        if (walked == 0)
            address = end;
        return count;
    }
}
