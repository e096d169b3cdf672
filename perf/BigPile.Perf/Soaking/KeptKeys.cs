using System;
using BigPile.Caching;

namespace BigPile.Perf.Soaking;

/// <summary>One worker's keys in a durable table: its last put of each key is there, and nothing else.</summary>
internal sealed class KeptKeys : ISoakPart
{
    private const int ManyKeys = 8;
    private const int PutWays = 4;
    private const int GetWays = 4;

    private readonly SoakPlace _place;
    private readonly CacheTable<long, byte[]> _table;
    private readonly int _worker;
    private readonly SoakTally _tally;
    private readonly Random _dice;
    private readonly Entry[] _entries;
    private readonly HeldLeases _leases;
    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes];
    private readonly long[] _keys = new long[ManyKeys];
    private readonly byte[]?[] _values = new byte[]?[ManyKeys];
    private readonly bool[] _found = new bool[ManyKeys];

    internal KeptKeys(SoakPlace place, int worker, SoakTally tally, Random dice)
    {
        (_place, _table, _worker, _tally, _dice) = (place, place.Kept, worker, tally, dice);
        _entries = new Entry[place.Budget.KeptKeys];
        _leases = new HeldLeases(place.Errors);
    }

    public void Fill()
    {
        for (int i = 0; i < _entries.Length && !_place.IsOver; i += 2)
            Put(i);
    }

    public void Step()
    {
        int draw = _dice.Next(20);
        int index = _dice.Next(_entries.Length);
        if (draw < 5)
            Put(index);
        else if (draw < 10)
            Remove(index);
        else if (draw < 13)
            GetMany();
        else
            Get(index);
    }

    public void Check()
    {
        for (int i = 0; i < _entries.Length; i++)
            Get(i);
    }

    /// <summary>Walks over the keys, while other workers change theirs.</summary>
    internal void Walk()
    {
        _tally.Count(SoakKind.TableWalk);
        long own = 0;
        foreach (long key in _table.Keys)
        {
            long index = key - KeyOf(0);
            if (index < 0 || index >= _entries.Length)
                continue;
            own++;
            if (!_entries[index].IsThere)
                Report((int)index, "came in a walk, and was removed");
        }
        long there = 0;
        foreach (Entry entry in _entries)
            there += entry.IsThere ? 1 : 0;
        if (own != there)
            _place.Errors.Report($"a walk gave {own:N0} keys of a worker that has {there:N0}");
    }

    public void Clear() => _leases.Dispose();

    private void Put(int index)
    {
        _tally.Count(SoakKind.TablePut);
        var entry = new Entry((ushort)(_entries[index].Version + 1), SoakSizes.NextOfTable(_dice), IsThere: true);
        Span<byte> value = _scratch.AsSpan(0, entry.LengthBytes);
        SoakValue.Write(value, IdOf(index), entry.Version);
        PutResult result = _dice.Next(PutWays) switch
        {
            0 => _table.Put(KeyOf(index), value.ToArray()),
            1 => _table.PutPointer(KeyOf(index), _place.Pile.Put(value)),
            _ => _table.PutBytes(KeyOf(index), value, out _),
        };
        PutResult expected = _entries[index].IsThere ? PutResult.Replaced : PutResult.Inserted;
        if (result != expected)
            Report(index, $"a put did {result} in the place of {expected}");
        _entries[index] = entry;
    }

    private void Remove(int index)
    {
        _tally.Count(SoakKind.TableRemove);
        if (_table.Remove(KeyOf(index)) != _entries[index].IsThere)
            Report(index, _entries[index].IsThere ? "was not there to be removed" : "was there to be removed again");
        _entries[index] = _entries[index] with { IsThere = false };
    }

    private void Get(int index)
    {
        _tally.Count(SoakKind.TableGet);
        bool isThere;
        string? why = null;
        switch (_dice.Next(GetWays))
        {
            case 0:
                isThere = _table.TryRead(KeyOf(index), _scratch, out EntryInfo info);
                why = isThere ? WhyNot(_scratch.AsSpan(0, info.ValueBytes), index) : null;
                break;
            case 1:
                isThere = _table.TryLease(KeyOf(index), out PileLease? lease, out _);
                why = isThere ? WhyNot(lease!.Span, index) : null;
                if (isThere)
                    _leases.Hold(lease!, IdOf(index), _entries[index].Version);
                break;
            case 2 when _dice.Next(10) == 0: // such a value is stored separately from then on
                isThere = _table.TryGetPointer(KeyOf(index), out PilePointer pointer);
                why = isThere ? WhyNot(_place.Pile.GetBytes(pointer), index) : null;
                break;
            default:
                isThere = _table.TryGet(KeyOf(index), out byte[]? value);
                why = isThere ? WhyNot(value!, index) : null;
                break;
        }
        CheckThere(index, isThere);
        Report(index, why);
    }

    private void GetMany()
    {
        _tally.Count(SoakKind.TableGetMany, ManyKeys);
        for (int i = 0; i < ManyKeys; i++)
            _keys[i] = KeyOf(_dice.Next(_entries.Length));
        _table.GetMany(_keys, _values, _found);
        for (int i = 0; i < ManyKeys; i++)
        {
            var index = (int)(_keys[i] - KeyOf(0));
            CheckThere(index, _found[i]);
            Report(index, _found[i] ? WhyNot(_values[i], index) : null);
        }
    }

    private string? WhyNot(ReadOnlySpan<byte> value, int index) =>
        SoakValue.WhyNot(value, IdOf(index), _entries[index].Version, _entries[index].LengthBytes);

    private void CheckThere(int index, bool isThere)
    {
        if (isThere != _entries[index].IsThere)
            Report(index, isThere ? "is there, and was removed" : "is not there");
    }

    private void Report(int index, string? why)
    {
        if (why != null)
            _place.Errors.Report($"key {KeyOf(index)} of the table '{_table.Name}', {SoakId.NameOf(IdOf(index))}: {why}");
    }

    private long KeyOf(int index) => ((long)_worker << 32) + index;

    private uint IdOf(int index) => SoakId.Of(SoakRegion.Kept, _worker, index);

    private readonly record struct Entry(ushort Version, int LengthBytes, bool IsThere);
}
