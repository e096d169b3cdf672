using System;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Stores new payloads.</summary>
/// <remarks>
/// In order: a slot of the caller's own; the payload behind the place of the header; the header, by one store with release, which makes
/// the block live. A kill before leaves a free slot. Each call goes outside and tries again when a flush has made room.
/// </remarks>
internal sealed unsafe class BlockWriter(BlockSpace space)
{
    private readonly OperationBarrier _barrier = space.Barrier;

    /// <summary>Stores a payload that is ready.</summary>
    internal PilePointer Put(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0) =>
        Put(new ReadyPayload(payload, kind, preallocateBytes), flushes: 0);

    /// <summary>Stores a string of ASCII characters.</summary>
    internal PilePointer PutAscii(string value) => Put(new AsciiPayload(value), flushes: 0);

    /// <summary>Stores bytes, all zero.</summary>
    internal PilePointer PutZeros(int lengthBytes) => Put(new ZerosPayload(lengthBytes), flushes: 0);

    /// <summary>Stores bytes that lie in several places.</summary>
    internal PilePointer PutParts(PinnedParts parts) => Put(new PartsPayload(parts), flushes: 0);

    private PilePointer Put<TPayload>(TPayload payload, int flushes) where TPayload : struct, INewPayload, allows ref struct
    {
        CriticalRegion critical = _barrier.EnterWriter();
        try
        {
            Slot slot = space.TakeSlot(payload.LengthBytes, payload.CapacityBytes);
            if (Mutation.HeaderFirst)
                _ = space.Publish(slot, payload.Kind, payload.LengthBytes);
            payload.WriteTo(slot.Start + BlockHeader.SizeBytes);
            CrashPoints.Pass(CrashPoint.PutBeforeHeader);
            return space.Publish(slot, payload.Kind, payload.LengthBytes);
        }
        catch (PileFullException e) when (space.Reclaimer.CanReclaim(critical, e, flushes))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            space.Exit(critical);
        }
        return Put(payload, space.Reclaimer.Reclaim(flushes));
    }
}
