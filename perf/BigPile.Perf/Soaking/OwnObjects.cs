using System;

namespace BigPile.Perf.Soaking;

/// <summary>Objects that one worker alone changes, so that it knows exactly what must be behind each pointer.</summary>
internal sealed class OwnObjects : ISoakPart
{
    private const int MaxTextBytes = 100_000;
    private const int MaxGraphBytes = 4096;

    private readonly SoakPlace _place;
    private readonly int _worker;
    private readonly SoakTally _tally;
    private readonly Random _dice;
    private readonly SoakSlot[] _slots;
    private readonly OwnWriter _writer;
    private readonly OwnReader _reader;
    private readonly HeldLeases _leases;
    private readonly DeadPointers _dead;
    private int _count;
    private int _lastNumber;
    private long _liveBytes;

    internal OwnObjects(SoakPlace place, int worker, SoakTally tally, Random dice)
    {
        (_place, _worker, _tally, _dice) = (place, worker, tally, dice);
        _slots = new SoakSlot[place.Budget.OwnSlots];
        _dead = new DeadPointers(place.Pile, place.Errors, dice);
        _leases = new HeldLeases(place.Errors);
        _writer = new OwnWriter(place.Pile, dice);
        _reader = new OwnReader(place, dice, _dead, _leases);
    }

    private ReadOnlySpan<SoakSlot> Live => _slots.AsSpan(0, _count);

    public void Fill()
    {
        while (_liveBytes < _place.Budget.OwnBytes && _count < _slots.Length && !_place.IsOver)
            Put();
    }

    public void Step()
    {
        int draw = _dice.Next(100);
        if (_count == 0 || draw < 20)
            PutAndLevel();
        else if (draw < 30)
            ReplaceSameSize(ref _slots[_dice.Next(_count)]);
        else if (draw < 38)
            ReplaceOtherSize(ref _slots[_dice.Next(_count)]);
        else if (draw < 42)
            Delete(_dice.Next(_count));
        else
            Read(draw);
    }

    public void Check()
    {
        foreach (ref readonly SoakSlot slot in Live)
            _reader.Get(slot);
    }

    /// <summary>Walks over the pile, while others change it.</summary>
    internal void Walk()
    {
        _tally.Count(SoakKind.Walk);
        _reader.Walk(Live);
    }

    public void Clear()
    {
        _leases.Dispose();
        while (_count > 0)
            Delete(_count - 1);
    }

    private void Read(int draw)
    {
        switch (draw)
        {
            case < 52:
                _tally.Count(SoakKind.GetMany, _reader.GetMany(Live));
                break;
            case < 60:
                _tally.Count(SoakKind.Lease);
                _reader.Lease(_slots[_dice.Next(_count)]);
                break;
            case < 65:
                _tally.Count(SoakKind.ReadDeleted);
                _dead.Try();
                break;
            default:
                _tally.Count(SoakKind.Get);
                _reader.Get(_slots[_dice.Next(_count)]);
                break;
        }
    }

    private void PutAndLevel()
    {
        Put();
        Level();
    }

    private void Put()
    {
        SoakSlot slot = Draw();
        slot.Id = SoakId.Of(SoakRegion.Own, _worker, _lastNumber);
        _lastNumber = (_lastNumber + 1) & SoakId.MaxNumber;
        _tally.Count(SoakKind.Put);
        slot.Pointer = _writer.Put(slot);
        _slots[_count++] = slot;
        _liveBytes += slot.LengthBytes;
    }

    private void ReplaceSameSize(ref SoakSlot slot)
    {
        _tally.Count(SoakKind.ReplaceSameSize);
        SoakSlot next = slot;
        next.Version++;
        _writer.Replace(next, isSameSize: true);
        slot = next;
    }

    private void ReplaceOtherSize(ref SoakSlot slot)
    {
        _tally.Count(SoakKind.ReplaceOtherSize);
        SoakSlot next = Draw();
        (next.Pointer, next.Id, next.Version) = (slot.Pointer, slot.Id, (ushort)(slot.Version + 1));
        _writer.Replace(next, isSameSize: false);
        _liveBytes += next.LengthBytes - slot.LengthBytes;
        slot = next;
        Level();
    }

    // Deletes as many bytes as were put, and keeps a free slot for one more.
    private void Level()
    {
        while (_count > 0 && (_liveBytes > _place.Budget.OwnBytes || _count == _slots.Length))
            Delete(_dice.Next(_count));
    }

    private void Delete(int index)
    {
        ref SoakSlot slot = ref _slots[index];
        _tally.Count(SoakKind.Delete);
        _liveBytes -= slot.LengthBytes;
        PilePointer pointer = slot.Pointer;
        slot = _slots[--_count];
        if (!_place.Pile.TryDelete(pointer))
            _place.Errors.Report($"the object of {pointer} was not there to be deleted");
        _dead.Add(pointer);
    }

    private SoakSlot Draw()
    {
        int lengthBytes = SoakSizes.Next(_dice);
        SoakShape shape = _dice.Next(20) switch
        {
            0 or 1 => SoakShape.Text,
            2 => SoakShape.Person,
            3 => SoakShape.Graph,
            _ => SoakShape.Bytes,
        };
        int limitBytes = shape switch
        {
            SoakShape.Text => MaxTextBytes,
            SoakShape.Bytes => SoakSizes.MaxBytes,
            _ => MaxGraphBytes,
        };
        return new SoakSlot { Shape = shape, LengthBytes = Math.Min(lengthBytes, limitBytes) };
    }
}

/// <summary>Pointers of deleted objects: they must stay dead, also when their slots are reused.</summary>
internal sealed class DeadPointers(Pile pile, SoakErrors errors, Random dice)
{
    private const int MaxKept = 256;
    private const int Ways = 5;

    private readonly PilePointer[] _pointers = new PilePointer[MaxKept];
    private int _count;

    internal void Add(PilePointer pointer) => _pointers[_count++ % MaxKept] = pointer;

    /// <summary>A random one; the invalid pointer if there is none yet.</summary>
    internal PilePointer Any() => _count == 0 ? default : _pointers[dice.Next(Math.Min(_count, MaxKept))];

    /// <summary>Tries one of them with one of the operations that report whether an object exists.</summary>
    internal void Try()
    {
        PilePointer pointer = Any();
        bool isThere = dice.Next(Ways) switch
        {
            0 => pile.Contains(pointer),
            1 => pile.TryGet(pointer, out _),
            2 => pile.TryDelete(pointer),
            3 => pile.TryReplace(pointer, "never"),
            _ => IsLeased(pointer),
        };
        if (isThere)
            errors.Report($"the pointer {pointer} of an object that was deleted names one");
    }

    private bool IsLeased(PilePointer pointer)
    {
        if (!pile.TryLease(pointer, out PileLease? lease))
            return false;
        lease.Dispose();
        return true;
    }
}
