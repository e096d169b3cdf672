using System;
using System.Buffers;

namespace BigPile.Perf.Soaking;

/// <summary>Puts and replaces a worker's own objects, each time in one of the ways that there are.</summary>
internal sealed class OwnWriter(Pile pile, Random dice)
{
    private const int PutWays = 6;
    private const int MaxWrittenAtOnce = 65_472; // a concurrent reader sees all of a write of this size or none
    private const int MaxArrayBytes = 50_000; // larger ones would go to the heap of large objects, one after the other

    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes];

    internal PilePointer Put(in SoakSlot slot)
    {
        if (slot.Shape != SoakShape.Bytes)
            return pile.Put(SoakObjects.Make(slot));
        ReadOnlySpan<byte> value = Write(slot);
        if (value.Length > MaxArrayBytes)
            return pile.Put(value);
        switch (dice.Next(PutWays))
        {
            case 0:
                return pile.Put(value.ToArray());
            case 1:
                return pile.PutWithCapacity(value.ToArray(), value.Length * 2);
            case 2:
                return pile.Put(new ReadOnlySequence<byte>(_scratch, 0, value.Length));
            case 3:
                return PutParts(value);
            default:
                return pile.Put(value);
        }
    }

    internal void Replace(in SoakSlot slot, bool isSameSize)
    {
        if (slot.Shape != SoakShape.Bytes)
        {
            pile.Replace(slot.Pointer, SoakObjects.Make(slot));
            return;
        }
        ReadOnlySpan<byte> value = Write(slot);
        if (isSameSize && value.Length <= MaxWrittenAtOnce && dice.Next(2) == 0)
            pile.Write(slot.Pointer, value);
        else
            pile.Replace(slot.Pointer, value);
    }

    // As an allocator: zeros first, and then the bytes from behind.
    private PilePointer PutParts(ReadOnlySpan<byte> value)
    {
        PilePointer pointer = pile.Allocate(value.Length);
        int middle = value.Length / 2;
        pile.Write(pointer, value[middle..], middle);
        pile.Write(pointer, value[..middle]);
        return pointer;
    }

    private ReadOnlySpan<byte> Write(in SoakSlot slot)
    {
        Span<byte> value = _scratch.AsSpan(0, slot.LengthBytes);
        SoakValue.Write(value, slot.Id, slot.Version);
        return value;
    }
}
