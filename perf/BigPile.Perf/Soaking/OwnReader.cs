using System;
using System.Buffers;
using System.Collections.Generic;

namespace BigPile.Perf.Soaking;

/// <summary>Reads a worker's own objects, each time in one of the ways that there are.</summary>
internal sealed class OwnReader(SoakPlace place, Random dice, DeadPointers dead, HeldLeases leases)
{
    private const int GetWays = 6;
    private const int ManyObjects = 16;
    private const int MaxArrayBytes = 50_000;
    private const int MaxMarked = 2000;

    private readonly Pile _pile = place.Pile;
    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes * 2];
    private readonly ArrayBufferWriter<byte> _buffer = new(SoakSizes.MaxBytes * 2);
    private readonly PilePointer[] _pointers = new PilePointer[ManyObjects];
    private readonly int[] _indexes = new int[ManyObjects];
    private readonly object?[] _objects = new object?[ManyObjects];
    private readonly Dictionary<PilePointer, int> _marked = new(MaxMarked);

    /// <summary>Reads one object and compares it.</summary>
    internal void Get(in SoakSlot slot)
    {
        try
        {
            Report(slot, WhyNot(slot));
        }
        catch (PilePointerException e)
        {
            Report(slot, e.Message);
        }
    }

    /// <summary>Reads some objects at once, among them one that is not there.</summary>
    /// <returns>How many.</returns>
    internal int GetMany(ReadOnlySpan<SoakSlot> live)
    {
        int missing = dice.Next(ManyObjects);
        for (int i = 0; i < ManyObjects; i++)
        {
            _indexes[i] = dice.Next(live.Length);
            _pointers[i] = i == missing ? dead.Any() : live[_indexes[i]].Pointer;
        }
        int found = _pile.GetMany(_pointers, _objects.AsSpan());
        if (found != ManyObjects - 1)
            place.Errors.Report($"a batch gave {found} objects of {ManyObjects - 1}");
        for (int i = 0; i < ManyObjects; i++)
        {
            ref readonly SoakSlot slot = ref live[_indexes[i]];
            if (i == missing)
                place.Errors.ReportIf("a batch", _objects[i] == null ? null : "an object that was deleted is in it");
            else
                Report(slot, _objects[i] is { } value ? SoakObjects.WhyNot(value, slot) : "is missing in a batch");
        }
        return ManyObjects;
    }

    /// <summary>Reads an object in place; leases of bytes are kept while the worker continues.</summary>
    internal void Lease(in SoakSlot slot)
    {
        PileLease lease = _pile.Lease(slot.Pointer);
        Report(slot, SoakObjects.WhyNotPayload(lease.Span, slot));
        if (slot.Shape == SoakShape.Bytes)
            leases.Hold(lease, slot.Id, slot.Version);
        else
            lease.Dispose();
    }

    /// <summary>Walks over the pile: marked objects of the worker must each occur once.</summary>
    internal void Walk(ReadOnlySpan<SoakSlot> live)
    {
        _marked.Clear();
        for (int i = 0; i < MaxMarked && !live.IsEmpty; i++)
            _marked.TryAdd(live[dice.Next(live.Length)].Pointer, 0);
        foreach (PileEntry entry in _pile)
        {
            if (_marked.TryGetValue(entry.Pointer, out int times))
                _marked[entry.Pointer] = times + 1;
        }
        foreach ((PilePointer pointer, int times) in _marked)
            place.Errors.ReportIf($"the object of {pointer}", times == 1 ? null : $"came {times} times in a walk");
    }

    private string? WhyNot(in SoakSlot slot)
    {
        bool isSmall = slot.LengthBytes <= MaxArrayBytes;
        switch (dice.Next(GetWays))
        {
            case 0 when isSmall:
                return _pile.TryGet(slot.Pointer, out object? value) ? SoakObjects.WhyNot(value, slot) : "is not there";
            case 1 when isSmall:
                return SoakObjects.WhyNotPayload(_pile.GetBytes(slot.Pointer), slot);
            case 2:
                _buffer.ResetWrittenCount();
                _pile.Read(slot.Pointer, _buffer);
                return SoakObjects.WhyNotPayload(_buffer.WrittenSpan, slot);
            case 3:
                return _pile.TryRead(slot.Pointer, _scratch, out int payloadBytes)
                    ? SoakObjects.WhyNotPayload(_scratch.AsSpan(0, payloadBytes), slot)
                    : $"has {payloadBytes:N0} bytes";
            case 4:
                return SoakObjects.WhyNotPayload(_scratch.AsSpan(0, _pile.Read(slot.Pointer, _scratch)), slot);
            default:
                return SoakObjects.WhyNot(_pile.Get(slot.Pointer), slot);
        }
    }

    private void Report(in SoakSlot slot, string? why)
    {
        if (why != null)
            place.Errors.Report($"{SoakId.NameOf(slot.Id)} version {slot.Version}, {slot.Shape}: {why}");
    }
}

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

/// <summary>Leases that a worker holds while it continues: their content must not change, whatever happens to the objects.</summary>
internal sealed class HeldLeases(SoakErrors errors) : IDisposable
{
    private const int MaxHeld = 8;

    private readonly Held[] _held = new Held[MaxHeld];
    private int _next;

    /// <summary>Takes over a lease, and ends the one that was held longest.</summary>
    internal void Hold(PileLease lease, uint id, ushort version)
    {
        End(ref _held[_next]);
        _held[_next] = new Held(lease, id, version, lease.Span.Length);
        _next = (_next + 1) % MaxHeld;
    }

    /// <summary>Ends all.</summary>
    public void Dispose()
    {
        for (int i = 0; i < MaxHeld; i++)
            End(ref _held[i]);
    }

    private void End(ref Held held)
    {
        if (held.Lease == null)
            return;
        string? why = SoakValue.WhyNot(held.Lease.Span, held.Id, held.Version, held.LengthBytes);
        held.Lease.Dispose();
        errors.ReportIf($"a lease of {SoakId.NameOf(held.Id)}", why);
        held = default;
    }

    private readonly record struct Held(PileLease? Lease, uint Id, ushort Version, int LengthBytes);
}
