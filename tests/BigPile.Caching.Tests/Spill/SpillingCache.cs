using System;
using System.IO;
using System.Linq;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Spill;

/// <summary>A cache with a table of 1 MiB that spills.</summary>
internal sealed class SpillingCache : IDisposable
{
    /// <summary>A value of which memory has about a thousand.</summary>
    internal const int ValueBytes = 900;

    /// <summary>Keys for ten times what memory has.</summary>
    internal const int Many = 10_000;

    private readonly TemporaryDirectory _directory = new();

    internal SpillingCache(TimeProvider? time = null, bool spills = true, StoreKind store = StoreKind.Native, ILogger? logger = null)
    {
        var pile = store == StoreKind.Mapped
            ? BigPile.Pile.Open(_directory.Pile, new PileOptions { SegmentBytes = 16 << 20 })
            : new Pile(new PileOptions { Store = store, SegmentBytes = 16 << 20, Logger = logger });
        Cache = new PileCache(pile, new PileCacheOptions
        {
            OwnsPile = true,
            TimeProvider = time ?? TimeProvider.System,
            SweepPeriod = TimeSpan.Zero,
            WaitsUntilReady = true,
            SpillDirectory = spills ? SpillDirectory : null,
        });
        Table = Cache.GetOrCreateTable<int, byte[]>(new TableOptions("t") { CollisionMode = CollisionMode.Durable, MaxBytes = 1 << 20 });
    }

    internal PileCache Cache { get; }

    internal CacheTable<int, byte[]> Table { get; }

    internal string SpillDirectory => Path.Combine(_directory.Path, "spill");

    internal string[] Files => Directory.Exists(SpillDirectory) ? Directory.GetFiles(SpillDirectory, "*", SearchOption.AllDirectories) : [];

    /// <summary>A value that says which key it is of, and which one of it.</summary>
    internal static byte[] Value(int key, int number = 0)
    {
        byte[] value = [.. Enumerable.Repeat((byte)(key * 31 + number), ValueBytes)];
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(4), number);
        return value;
    }

    /// <summary>Puts all keys from 0.</summary>
    internal void Fill(int count = Many, EntryOptions? options = null)
    {
        for (int key = 0; key < count; key++)
            Table.Put(key, Value(key), options);
    }

    /// <summary>Puts others until a key has left memory.</summary>
    internal void Displace(int firstOther = 1_000_000, int count = 3_000)
    {
        for (int key = firstOther; key < firstOther + count; key++)
            Table.Put(key, Value(key));
    }

    public void Dispose()
    {
        Cache.Dispose();
        _directory.Dispose();
    }
}
