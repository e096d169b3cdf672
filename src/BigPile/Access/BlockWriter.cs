using System;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>Stores new payloads.</summary>
/// <remarks>What a kill leaves after each store: CRASH.md, the rows "put".</remarks>
internal sealed unsafe class BlockWriter(BlockStore blocks)
{
    private readonly OperationBarrier _barrier = blocks.Barrier; // begins the critical region of a put

    /// <summary>Stores the bytes of a payload.</summary>
    internal PilePointer Put(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0) =>
        Put(new ReadyPayload(payload, kind, preallocateBytes), attempt: 0);

    /// <summary>Stores a string of ASCII characters.</summary>
    internal PilePointer PutAscii(string value) => Put(new AsciiPayload(value), attempt: 0);

    /// <summary>Stores bytes, all zero.</summary>
    internal PilePointer PutZeros(int lengthBytes) => Put(new ZerosPayload(lengthBytes), attempt: 0);

    /// <summary>Stores bytes from several buffers.</summary>
    internal PilePointer PutParts(PinnedParts parts) => Put(new PartsPayload(parts), attempt: 0);

    private PilePointer Put<TPayload>(TPayload payload, int attempt) where TPayload : struct, INewPayload, allows ref struct
    {
        CriticalRegion critical = _barrier.EnterWriter();
        try
        {
            // The slot's header says free until it is published: until then a kill leaves a free slot with bytes that mean nothing.
            Slot slot = blocks.TakeSlot(payload.LengthBytes, payload.CapacityBytes);
            if (Mutation.HeaderFirst)
                _ = blocks.Publish(slot, payload.Kind, payload.LengthBytes);
            payload.WriteTo(slot.Start + BlockHeader.SizeBytes);
            CrashPoints.Pass(CrashPoint.PutBeforeHeader);
            return blocks.Publish(slot, payload.Kind, payload.LengthBytes); // checksum and header: the object is live
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt)) // thrown by TakeSlot: no slot was taken
        {
            // reclaimed below, outside the critical region: a flush waits for all writers
        }
        finally
        {
            blocks.Exit(critical);
        }
        return Put(payload, blocks.Reclaimer.Reclaim(attempt));
    }
}
