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
