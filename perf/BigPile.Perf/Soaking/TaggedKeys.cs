using System;
using System.Globalization;
using System.Linq;
using BigPile.Caching;

namespace BigPile.Perf.Soaking;

/// <summary>
/// Keys of one worker in a table at its limit, with tags and priorities: an entry may be evicted unless it is pinned, and what was removed
/// by its tag does not come back.
/// </summary>
internal sealed class TaggedKeys : ISoakPart
{
    private const int PinnedKeys = 64;
    private const int Tags = 16;

    private static readonly EntryPriority[] Priorities = [EntryPriority.Low, EntryPriority.Normal, EntryPriority.High];

    private readonly SoakPlace _place;
    private readonly CacheTable<long, byte[]> _table;
    private readonly int _worker;
    private readonly SoakTally _tally;
    private readonly Random _dice;
    private readonly Entry[] _entries;
    private readonly int[] _removals = new int[Tags];
    private readonly EntryOptions[] _options;
    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes];

    internal TaggedKeys(SoakPlace place, int worker, SoakTally tally, Random dice)
    {
        (_place, _table, _worker, _tally, _dice) = (place, place.Tagged, worker, tally, dice);
        _entries = new Entry[place.Budget.TaggedKeys + PinnedKeys];
        _options =
        [
            .. from priority in Priorities
               from tag in Enumerable.Range(0, Tags)
               select new EntryOptions { Priority = priority, Tags = [TagOf(tag), "all"] },
        ];
    }

    public void Fill()
    {
        for (int i = 0; i < _entries.Length && !_place.IsOver; i++)
            Put(i);
    }

    public void Step()
    {
        int index = _dice.Next(20) == 0 ? _dice.Next(PinnedKeys) : _dice.Next(_entries.Length);
        if (_dice.Next(5) < 2)
            Put(index);
        else
            Get(index);
    }

    public void Check()
    {
        for (int i = 0; i < _entries.Length; i++)
            Get(i);
    }

    public void Clear()
    {
        // all goes with the table
    }

    /// <summary>Removes what has one of the worker's tags.</summary>
    internal void RemoveByTag()
    {
        _tally.Count(SoakKind.RemoveByTag);
        int tag = _dice.Next(Tags);
        _table.RemoveByTag(TagOf(tag));
        _removals[tag]++;
    }

    private static bool IsPinned(int index) => index < PinnedKeys;

    private void Put(int index)
    {
        _tally.Count(SoakKind.TablePut);
        int choice = _dice.Next(_options.Length);
        var entry = new Entry(
            (ushort)(_entries[index].Version + 1), SoakSizes.NextOfTable(_dice), (byte)(choice % Tags), _removals[choice % Tags]);
        Span<byte> value = _scratch.AsSpan(0, entry.LengthBytes);
        SoakValue.Write(value, IdOf(index), entry.Version);
        EntryOptions options = IsPinned(index) ? new EntryOptions { Priority = EntryPriority.NeverEvict } : _options[choice];
        if (_table.PutBytes(KeyOf(index), value, options, out _) != PutResult.Collision)
            _entries[index] = entry;
    }

    private void Get(int index)
    {
        _tally.Count(SoakKind.TableGet);
        Entry entry = _entries[index];
        string? why;
        if (!_table.TryRead(KeyOf(index), _scratch, out EntryInfo info))
            why = IsPinned(index) && entry.LengthBytes != 0 ? "is pinned, and is not there" : null;
        else if (!IsPinned(index) && entry.Removals != _removals[entry.Tag])
            why = "is there, and was removed by its tag";
        else
            why = SoakValue.WhyNot(_scratch.AsSpan(0, info.ValueBytes), IdOf(index), entry.Version, entry.LengthBytes);
        if (why != null)
            _place.Errors.Report($"key {KeyOf(index)} of the table '{_table.Name}', {SoakId.NameOf(IdOf(index))}: {why}");
    }

    private string TagOf(int tag) => string.Create(CultureInfo.InvariantCulture, $"worker {_worker} tag {tag}");

    private long KeyOf(int index) => ((long)_worker << 32) + index;

    private uint IdOf(int index) => SoakId.Of(SoakRegion.Tagged, _worker, index);

    private readonly record struct Entry(ushort Version, int LengthBytes, byte Tag, int Removals);
}
