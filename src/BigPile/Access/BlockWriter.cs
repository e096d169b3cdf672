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
internal sealed unsafe class BlockWriter(BlockStore blocks)
{
    private readonly OperationBarrier _barrier = blocks.Barrier;

    /// <summary>Stores a payload that is ready.</summary>
    internal PilePointer Put(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0) =>
        Put(new ReadyPayload(payload, kind, preallocateBytes), attempt: 0);

    /// <summary>Stores a string of ASCII characters.</summary>
    internal PilePointer PutAscii(string value) => Put(new AsciiPayload(value), attempt: 0);

    /// <summary>Stores bytes, all zero.</summary>
    internal PilePointer PutZeros(int lengthBytes) => Put(new ZerosPayload(lengthBytes), attempt: 0);

    /// <summary>Stores bytes that lie in several places.</summary>
    internal PilePointer PutParts(PinnedParts parts) => Put(new PartsPayload(parts), attempt: 0);

    private PilePointer Put<TPayload>(TPayload payload, int attempt) where TPayload : struct, INewPayload, allows ref struct
    {
        CriticalRegion critical = _barrier.EnterWriter();
        try
        {
            Slot slot = blocks.TakeSlot(payload.LengthBytes, payload.CapacityBytes);
            if (Mutation.HeaderFirst)
                _ = blocks.Publish(slot, payload.Kind, payload.LengthBytes);
            payload.WriteTo(slot.Start + BlockHeader.SizeBytes);
            CrashPoints.Pass(CrashPoint.PutBeforeHeader);
            return blocks.Publish(slot, payload.Kind, payload.LengthBytes);
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            blocks.Exit(critical);
        }
        return Put(payload, blocks.Reclaimer.Reclaim(attempt));
    }
}
