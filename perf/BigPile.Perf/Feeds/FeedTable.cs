using System;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using BigPile.Caching;

namespace BigPile.Perf.Feeds;

/// <summary>A table with one mode of the feed, and the loops over its entries.</summary>
/// <remarks>Thread safety: the workers call the phases concurrently, each for entries of its own.</remarks>
internal sealed class FeedTable<TKey> : IFeedTable
    where TKey : notnull
{
    private const int StaysEvery = 64; // entries that are never removed: they keep the pile's memory from going back to the system
    private const int PutsBetweenMarks = 256;

    private readonly Func<int, TKey> _keyOf;
    private readonly int _count;
    private readonly EntryShape _shape;
    private readonly PileCache _cache;
    private readonly CacheTable<TKey, byte[]> _table;
    private readonly byte[][] _values;
    private readonly byte[][] _batch;
    private readonly FeedFollower<TKey>? _follower; // null: the mode has none

    internal FeedTable(FeedMode mode, CacheOptions options, PileOptions pileOptions, Func<int, TKey> keyOf)
    {
        _keyOf = keyOf;
        _count = options.Count;
        _shape = options.Entries;
        _cache = new PileCache(new Pile(pileOptions), ownsPile: true);
        _table = _cache.GetOrCreateTable<TKey, byte[]>(new TableOptions("load")
        {
            CollisionMode = options.Mode,
            FeedBytes = mode == FeedMode.Off ? null : (long)options.FeedMebibytes << 20,
        });
        _values = new byte[options.Threads][];
        for (int i = 0; i < _values.Length; i++)
            _values[i] = new byte[options.ValueBytes];
        _batch = new byte[CacheOptions.Batch][];
        Array.Fill(_batch, new byte[options.ValueBytes]);
        if (mode == FeedMode.Read)
            _follower = new FeedFollower<TKey>(_table, FeedCursor.Now);
    }

    public IFeedFollower? Follower => _follower;

    public void Put(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        for (int i = start; i < end; i++)
            Put(value, i);
    }

    public void Replace(Worker worker, int start, int end)
    {
        byte[] value = _values[worker.Index];
        var order = new RandomOrder(seed: start, limit: _count);
        for (int i = start; i < end; i++)
            Put(value, order.Next());
    }

    public void PutBatched(Worker worker, int start, int end)
    {
        var order = new RandomOrder(seed: start, limit: _count);
        var keys = new TKey[CacheOptions.Batch];
        var results = new PutResult[CacheOptions.Batch];
        for (int i = start; i < end; i += keys.Length)
        {
            int count = Math.Min(keys.Length, end - i);
            for (int k = 0; k < count; k++)
                keys[k] = _keyOf(order.Next());
            _table.PutMany(keys.AsSpan(0, count), _batch.AsSpan(0, count), results.AsSpan(0, count), _shape.OptionsOf(i));
        }
    }

    public void Remove(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
        {
            if (i % StaysEvery != 0)
                _ = _table.Remove(_keyOf(i));
        }
    }

    public ulong Mark()
    {
        _table.PutBytes(_keyOf(0), _values[0], null, out EntryInfo info);
        return info.Version;
    }

    public double MeasureReplay(int changes)
    {
        FeedCursor from = _follower!.Cursor;
        _follower.Dispose();
        byte[] value = _values[0];
        for (int i = 0; i < changes; i++)
            Put(value, i % _count);
        using var reader = new FeedFollower<TKey>(_table, from);
        ((IFeedFollower)reader).WaitFor(Mark());
        return reader.Delivered / reader.Seconds;
    }

    public void Dispose()
    {
        _follower?.Dispose();
        _cache.Dispose();
    }

    private void Put(byte[] value, int number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(value, number);
        _table.PutBytes(_keyOf(number), value, _shape.OptionsOf(number), out EntryInfo info);
        if (_follower != null && number % PutsBetweenMarks == 0)
            _follower.Expect(info.Version);
    }
}

/// <summary>The same for keys of any type.</summary>
internal interface IFeedTable : IDisposable
{
    /// <summary>The reader; <see langword="null"/>: the mode has none.</summary>
    IFeedFollower? Follower { get; }

    /// <summary>Puts in order.</summary>
    void Put(Worker worker, int start, int end);

    /// <summary>Puts known keys at random.</summary>
    void Replace(Worker worker, int start, int end);

    /// <summary>Puts known keys at random, many in one call.</summary>
    void PutBatched(Worker worker, int start, int end);

    /// <summary>Removes in order.</summary>
    void Remove(Worker worker, int start, int end);

    /// <summary>Makes a change, and returns its version.</summary>
    ulong Mark();

    /// <summary>Ends the reader, makes changes, and returns how many of them a second another reader gets alone.</summary>
    double MeasureReplay(int changes);
}

/// <summary>What a table does about its changes.</summary>
internal enum FeedMode
{
    /// <summary>It has no feed.</summary>
    Off,

    /// <summary>It has a feed that nobody reads.</summary>
    None,

    /// <summary>A reader follows on a thread of its own.</summary>
    Read,
}

/// <summary>The keys of the load: all kinds have keys of one length.</summary>
internal static class FeedKeys
{
    internal static long Long(int number) => number;

    internal static Guid Long16(int number)
    {
        Span<byte> bytes = stackalloc byte[16];
        MemoryMarshal.Write(bytes, (ulong)(uint)number * 0x9E3779B97F4A7C15);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[sizeof(long)..], number);
        return new Guid(bytes);
    }
}
