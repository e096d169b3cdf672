using System;
using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>
/// Objects that all workers read while one changes each: any whole version is right that is not older than the last one seen.
/// </summary>
internal sealed class SharedObjects : ISoakPart
{
    private const int HotSlots = 32;
    private const int ManyObjects = 8;
    private const int HalfOfVersions = 1 << 15;

    private readonly SoakPlace _place;
    private readonly int _worker;
    private readonly SoakTally _tally;
    private readonly Random _dice;
    private readonly HeldLeases _leases;
    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes];
    private readonly PilePointer[] _pointers = new PilePointer[ManyObjects];
    private readonly ushort[] _floors = new ushort[ManyObjects];
    private readonly int[] _indexes = new int[ManyObjects];
    private readonly byte[]?[] _values = new byte[]?[ManyObjects];

    internal SharedObjects(SoakPlace place, int worker, SoakTally tally, Random dice)
    {
        (_place, _worker, _tally, _dice) = (place, worker, tally, dice);
        _leases = new HeldLeases(place.Errors);
    }

    private int Threads => _place.Options.Threads;

    public void Fill()
    {
        for (int i = _worker; i < _place.SharedPointers.Length && !_place.IsOver; i += Threads)
            Volatile.Write(ref _place.SharedPointers[i], _place.Pile.Put(Draw(i, 0)).ToUInt64());
    }

    public void Step()
    {
        switch (_dice.Next(10))
        {
            case < 3:
                Change(AnyIndex() / Threads * Threads + _worker);
                break;
            case < 5:
                ReadMany();
                break;
            case < 6:
                Lease(AnyIndex());
                break;
            default:
                Read(AnyIndex());
                break;
        }
    }

    public void Check()
    {
        for (int i = _worker; i < _place.SharedPointers.Length; i += Threads)
            Read(i);
    }

    public void Clear()
    {
        _leases.Dispose();
        for (int i = _worker; i < _place.SharedPointers.Length; i += Threads)
            _place.Pile.Delete(PointerAt(i));
    }

    // Half of all operations use a few hot objects, so that reads and changes collide.
    private int AnyIndex() => _dice.Next(_dice.Next(2) == 0 ? HotSlots : _place.SharedPointers.Length);

    // A replacement keeps the pointer. A new object does not, and the old one is deleted once no worker can find it.
    private void Change(int index)
    {
        _tally.Count(SoakKind.SharedChange);
        var version = (ushort)(_place.SharedVersions[index] + 1);
        PilePointer old = PointerAt(index);
        if (_dice.Next(3) != 0)
        {
            _place.Pile.Replace(old, Draw(index, version));
            Volatile.Write(ref _place.SharedVersions[index], version);
            return;
        }
        Volatile.Write(ref _place.SharedPointers[index], _place.Pile.Put(Draw(index, version)).ToUInt64());
        Volatile.Write(ref _place.SharedVersions[index], version);
        _place.Pile.Delete(old);
    }

    private void Read(int index)
    {
        _tally.Count(SoakKind.SharedRead);
        ushort floor = Volatile.Read(ref _place.SharedVersions[index]);
        PilePointer pointer = PointerAt(index);
        if (_place.Pile.TryGet(pointer, out byte[]? value))
            Report(index, WhyNot(value, index, floor, out _));
        else
            ReportGone(index, pointer);
    }

    private void ReadMany()
    {
        _tally.Count(SoakKind.SharedRead, ManyObjects);
        for (int i = 0; i < ManyObjects; i++)
        {
            _indexes[i] = AnyIndex();
            _floors[i] = Volatile.Read(ref _place.SharedVersions[_indexes[i]]);
            _pointers[i] = PointerAt(_indexes[i]);
        }
        _place.Pile.GetMany(_pointers, _values.AsSpan());
        for (int i = 0; i < ManyObjects; i++)
        {
            if (_values[i] is { } value)
                Report(_indexes[i], WhyNot(value, _indexes[i], _floors[i], out _));
            else
                ReportGone(_indexes[i], _pointers[i]);
        }
    }

    private void Lease(int index)
    {
        _tally.Count(SoakKind.SharedRead);
        ushort floor = Volatile.Read(ref _place.SharedVersions[index]);
        PilePointer pointer = PointerAt(index);
        if (!_place.Pile.TryLease(pointer, out PileLease? lease))
        {
            ReportGone(index, pointer);
            return;
        }
        Report(index, WhyNot(lease.Span, index, floor, out ushort version));
        _leases.Hold(lease, IdOf(index), version);
    }

    private string? WhyNot(ReadOnlySpan<byte> value, int index, ushort floor, out ushort version)
    {
        if (SoakValue.WhyNot(value, IdOf(index), out version) is { } why)
            return why;
        return (ushort)(version - floor) < HalfOfVersions ? null : $"version {version} came when version {floor} was there already";
    }

    private void ReportGone(int index, PilePointer pointer)
    {
        if (PointerAt(index) == pointer)
            Report(index, "is gone, and its pointer is the one that leads there");
    }

    private void Report(int index, string? why)
    {
        if (why != null)
            _place.Errors.Report($"{SoakId.NameOf(IdOf(index))}: {why}");
    }

    private PilePointer PointerAt(int index) => PilePointer.FromUInt64(Volatile.Read(ref _place.SharedPointers[index]));

    private ReadOnlySpan<byte> Draw(int index, ushort version)
    {
        Span<byte> value = _scratch.AsSpan(0, SoakSizes.Next(_dice));
        SoakValue.Write(value, IdOf(index), version);
        return value;
    }

    private uint IdOf(int index) => SoakId.Of(SoakRegion.Shared, index % Threads, index / Threads);
}
