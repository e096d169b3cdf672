using System;
using System.Diagnostics.CodeAnalysis;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>Stores new payloads.</summary>
/// <remarks>What a kill leaves after each store: Durability/crash/put.md.</remarks>
internal sealed unsafe class BlockWriter(BlockStore blocks)
{
    internal PilePointer Put(ReadOnlySpan<byte> payload, BlockKind kind, int preallocateBytes = 0) =>
        Put(new ReadyPayload(payload, kind, preallocateBytes));

    /// <summary>Stores a string of ASCII characters.</summary>
    internal PilePointer PutAscii(string value) => Put(new AsciiPayload(value));

    /// <summary>Stores bytes if they fit. A refusal is an answer here: it is not counted.</summary>
    /// <param name="payload">The bytes.</param>
    /// <param name="kind">The kind of the block.</param>
    /// <param name="evicts">Whether tables give way to it.</param>
    /// <param name="pointer">The object.</param>
    /// <returns><see langword="false"/> when the pile is full.</returns>
    internal bool TryPut(ReadOnlySpan<byte> payload, BlockKind kind, bool evicts, out PilePointer pointer)
    {
        var ready = new ReadyPayload(payload, kind, preallocateBytes: 0);
        var attempts = default(ReclaimAttempts);
        while (!TryPut(ref ready, out pointer, out PileException? failure))
        {
            if (!blocks.Reclaimer.TryReclaim(failure, ref attempts, evicts, isPut: false))
                return failure is PileFullException ? false : throw failure;
        }
        return true;
    }

    internal PilePointer PutZeros(int lengthBytes) => Put(new ZerosPayload(lengthBytes));

    /// <summary>Stores bytes from several buffers.</summary>
    internal PilePointer PutParts(PinnedParts parts) => Put(new PartsPayload(parts));

    private PilePointer Put<TPayload>(TPayload payload)
        where TPayload : struct, INewPayload, allows ref struct
    {
        var attempts = default(ReclaimAttempts);
        PilePointer pointer;
        while (!TryPut(ref payload, out pointer, out PileException? failure))
        {
            if (!blocks.Reclaimer.TryReclaim(failure, ref attempts)) // outside of the scope: a flush waits for all writers
                throw failure;
        }
        return pointer;
    }

    // A method of its own: with a loop around its try block the tiered compiler made puts 5 % slower.
    private bool TryPut<TPayload>(ref TPayload payload, out PilePointer pointer, [NotNullWhen(false)] out PileException? failure)
        where TPayload : struct, INewPayload, allows ref struct
    {
        using ChangeScope scope = blocks.EnterWriter();
        // The slot's header says free until it is published: until then a kill leaves a free slot with bytes that mean nothing.
        Slot slot = blocks.TakeSlot(scope.Critical, payload.LengthBytes, payload.CapacityBytes, out failure);
        pointer = default;
        if (failure != null)
            return false;
        if (Mutation.HeaderFirst)
            _ = blocks.Publish(slot, payload.Kind, payload.LengthBytes);
        payload.WriteTo(slot.Start + BlockHeader.SizeBytes);
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        pointer = blocks.Publish(slot, payload.Kind, payload.LengthBytes); // checksum and header: the object is live
        return true;
    }
}
