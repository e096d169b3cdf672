using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.FullPiles;

/// <summary>A pile with a limit: three tables that give way, a durable one, objects, and a durable table that grows at times.</summary>
/// <remarks>Thread safety: none.</remarks>
internal sealed class CrowdedPile : IDisposable
{
    private const int BetweenChecks = 256;
    private const int Slices = 256; // of what is put: the tables' shares are taken at the start of each

    private readonly PileCache _cache;
    private readonly CacheTable<int, byte[]> _durable;
    private readonly CacheTable<int, byte[]> _growing;
    private readonly List<PilePointer> _objects = [];
    private readonly byte[] _buffer = new byte[FullValues.MaxBytes];
    private readonly CancellationToken _stop;
    private int _durableEntries;
    private int _next; // the number of the next entry of a table that gives way

    internal CrowdedPile(PileOptions options, CancellationToken stop)
    {
        _stop = stop;
        _cache = new PileCache(new Pile(options), ownsPile: true);
        Tables = [.. new[] { 1, 2, 4 }.Select(rate => new SharingTable(_cache, rate))];
        _durable = MakeDurable("durable");
        _growing = MakeDurable("growing");
    }

    internal SharingTable[] Tables { get; }

    internal int DurableEntries => _durableEntries;

    internal int Objects => _objects.Count;

    internal PileStatistics Statistics => _cache.Pile.Statistics;

    /// <summary>Puts so many entries into the durable table, and so many objects.</summary>
    internal void PutWhatStays(int count)
    {
        for (; _durableEntries < count; _durableEntries++)
        {
            _durable.PutBytes(_durableEntries, FullValues.Write(_durableEntries, _buffer), out _);
            _objects.Add(_cache.Pile.Put(FullValues.Write(_durableEntries, _buffer)));
        }
    }

    /// <summary>Puts as much into each of the three until the pile is full.</summary>
    internal void FillEqually()
    {
        while (Tables.All(static table => table.Statistics.Evictions == 0))
        {
            _stop.ThrowIfCancellationRequested();
            for (int i = 0; i < BetweenChecks; i++)
                PutNext(Tables[i % Tables.Length]);
        }
        foreach (SharingTable table in Tables)
            table.Begin();
    }

    /// <summary>Puts new entries, at the rates of the tables, and counts how each gives way.</summary>
    internal void GiveWay(int entries, ILoadProgress progress)
    {
        progress.Begin("give way", Slices);
        for (int slice = 0; slice < Slices; slice++)
        {
            long[] held = [.. Tables.Select(static table => table.HeldBytes)];
            PutAtRates(entries / Slices);
            long[] gone = [.. Tables.Select((table, i) => table.TakeGone(held[i]))];
            for (int i = 0; i < Tables.Length; i++)
                Tables[i].ExpectedBytes += (double)gone.Sum() * held[i] / held.Sum();
            progress.Report(slice);
        }
    }

    /// <summary>Puts so many new entries, at the rates of the tables.</summary>
    internal void PutAtRates(int entries)
    {
        int rates = Tables.Sum(static table => table.Rate);
        for (int i = 0; i < entries; i += rates)
        {
            if (i % BetweenChecks < rates)
                _stop.ThrowIfCancellationRequested();
            foreach (SharingTable table in Tables)
            {
                for (int put = 0; put < table.Rate; put++)
                    PutNext(table);
            }
        }
    }

    internal void Grow(int number) => _growing.PutBytes(number, FullValues.Write(number, _buffer), out _);

    internal void Shrink() => _growing.Clear();

    /// <summary>The entries of the durable table that are gone or changed.</summary>
    internal int CountLostEntries() => Enumerable.Range(0, _durableEntries)
        .Count(number => !_durable.TryGet(number, out byte[]? value) || !FullValues.IsOf(number, value));

    /// <summary>The objects that are gone or changed.</summary>
    internal int CountLostObjects() => Enumerable.Range(0, _objects.Count)
        .Count(number => !_cache.Pile.TryGet(_objects[number], out byte[]? value) || !FullValues.IsOf(number, value));

    public void Dispose() => _cache.Dispose();

    private void PutNext(SharingTable table)
    {
        table.Put(_next, FullValues.Write(_next, _buffer));
        _next++;
    }

    private CacheTable<int, byte[]> MakeDurable(string name) =>
        _cache.GetOrCreateTable<int, byte[]>(new TableOptions(name) { CollisionMode = CollisionMode.Durable });
}

/// <summary>A table that gives way, and gets new entries at a rate.</summary>
internal sealed class SharingTable(PileCache cache, int rate)
{
    private readonly CacheTable<int, byte[]> _table =
        cache.GetOrCreateTable<int, byte[]>(new TableOptions(string.Create(CultureInfo.InvariantCulture, $"rate{rate}")));

    private long _putBytes; // since the last take
    private long _overheadBytes; // of an entry beside its value

    internal string Name => _table.Name;
    internal int Rate => rate;
    internal TableStatistics Statistics => _table.Statistics;
    internal long HeldBytes => _table.Statistics.EntryBytes;
    internal long FirstHeldBytes { get; private set; } // when the pile became full
    internal long GoneBytes { get; private set; } // what gave way since then
    internal double ExpectedBytes { get; set; } // what had, if each had given way in proportion to what it held

    internal void Put(int number, ReadOnlySpan<byte> value)
    {
        if (_table.PutBytes(number, value, out _) == PutResult.Collision)
            return;
        if (_overheadBytes == 0)
            _overheadBytes = HeldBytes - value.Length;
        _putBytes += _overheadBytes + value.Length;
    }

    /// <summary>Counts from now on.</summary>
    internal void Begin() => (FirstHeldBytes, _putBytes) = (HeldBytes, 0);

    /// <summary>The bytes that gave way since the last call.</summary>
    /// <param name="heldBytes">What the table held then.</param>
    internal long TakeGone(long heldBytes)
    {
        long gone = heldBytes + _putBytes - HeldBytes;
        GoneBytes += gone;
        _putBytes = 0;
        return gone;
    }
}
