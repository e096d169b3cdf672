using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Caching.Recovery;
using BigPile.Caching.Tables;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tests;

/// <summary>A table whose entries are found one by one, in any order, between other operations.</summary>
internal sealed class HalfBuilt : IDisposable
{
    private readonly Pile _pile;
    private readonly TableEngine _core;

    internal HalfBuilt(Pile pile, ManualTime time)
    {
        _pile = pile;
        TableDefinition definition = Assert.Single(new TableIds(pile.Engine.Catalog).Tables);
        _core = new TableEngine(
            pile, definition, KeyHash.New(), new CacheClock(time, pile.Engine.Id),
            TestCache.Durable())
        {
            PileCapacity = new PileCapacity(pile.Tables),
        };
        _core.Visibility.BeginRebuild(_core.Heap.Versions.Last);
    }

    internal long Count => _core.Statistics.EntryCount;

    /// <summary>Calls that wait for the rebuild's end wait for this task; once it has failed before, they don't.</summary>
    internal void EndsWith(Task completion, Exception? failure = null) =>
        _core.SetReadiness(new CacheReadiness(completion) { Failure = failure });

    /// <summary>The public table; its keys are of the kind that it was made with.</summary>
    internal CacheTable<TKey, byte[]> Cover<TKey>()
        where TKey : notnull => new(_core);

    /// <summary>The addresses of all blocks, the lowest version first.</summary>
    internal unsafe ulong[] FindByVersion()
    {
        ulong[] found = FindAll();
        CriticalRegion critical = _pile.Blocks.Barrier.EnterReader();
        ulong[] versions = Array.ConvertAll(found, address => new EntryHead(_pile.Tables.View(address).Payload).Version);
        critical.Exit();
        Array.Sort(versions, found);
        return found;
    }

    internal ulong[] FindAll()
    {
        var all = new List<ulong>();
        ulong address = 0;
        ulong end = _pile.Tables.EndAddress;
        var found = new ulong[512];
        while (address < end)
        {
            int count = _pile.Tables.Collect(ref address, end, found);
            all.AddRange(found.AsSpan(0, count));
        }
        return [.. all];
    }

    internal void AddFound(ulong address)
    {
        CriticalRegion critical = _pile.Blocks.Barrier.EnterReader();
        Assert.True(new FoundEntries(_core).AddFound(critical, address));
        critical.Exit();
        new FoundEntries(_core).GrowForFound();
    }

    internal void Put(long key, byte value, Dictionary<long, byte> model)
    {
        Span<byte> stack = stackalloc byte[8];
        _core.Put.Run(Probe(key, stack), [value], ValueKind.Bytes, EntrySpec.Plain, Condition.None, out _);
        model[key] = value;
    }

    internal void Remove(long key)
    {
        Span<byte> stack = stackalloc byte[8];
        _core.Delete.Remove(Probe(key, stack), Condition.None);
    }

    internal byte? Get(long key)
    {
        Span<byte> stack = stackalloc byte[8];
        var reader = default(BytesReader);
        return _core.Lookup.TryRead(Probe(key, stack), ref reader, out _) ? reader.Result[0] : null;
    }

    internal void End() => new FoundEntries(_core).Complete();

    public void Dispose()
    {
        _core.Close();
        _core.Dispose();
    }

    private KeyProbe Probe(long key, Span<byte> stack)
    {
        BitConverter.TryWriteBytes(stack, key);
        return new KeyProbe(stack, _core.Hash.Of((ulong)key));
    }
}
