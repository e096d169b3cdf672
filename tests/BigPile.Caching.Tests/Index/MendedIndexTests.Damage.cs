using System;
using System.IO;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Index;

/// <summary>What is done to the files.</summary>
public sealed partial class MendedIndexTests
{
    private PileCache Open(string directory, Task? inspectsAfter = null, string? indexes = null) => new(
        Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20 }),
        new PileCacheOptions
        {
            OwnsPile = true,
            TimeProvider = Time,
            SweepPeriod = TimeSpan.Zero,
            WaitsUntilReady = true,
            DefaultTableOptions = TestCache.AllDurable,
            IndexDirectory = indexes,
            InspectsAfter = inspectsAfter ?? Task.CompletedTask,
        });

    private static unsafe void SetNext(TableEngine core, ulong bucket, uint next) => core.Index.At(bucket)->Next = next;

    private static unsafe uint NextOf(TableEngine core, ulong bucket) => core.Index.At(bucket)->Next;

    private static CacheTable<long, byte[]> TableOf(PileCache cache) => cache.GetOrCreateTable<long, byte[]>("t");

    private static void Fill(PileCache cache)
    {
        CacheTable<long, byte[]> table = TableOf(cache);
        for (long key = 0; key < Keys; key++)
            table.Put(key, [1], key % 4 == 3 ? new EntryOptions { Tags = ["tag"] } : null);
    }

    private static bool IsRemoved(long key) => key % 2 == 1;

    // Half of the odd keys one by one, the other half by their tag; and enough sweeps for a mark to go if it may.
    private static void RemoveSome(PileCache cache)
    {
        CacheTable<long, byte[]> table = TableOf(cache);
        for (long key = 1; key < Keys; key += 4)
            _ = table.Remove(key);
        table.RemoveByTag("tag");
        for (int i = 0; i < 3; i++)
            _ = table.Sweep();
        Assert.NotEqual(0, table.Core.Tags.Count);
    }

    private static void AssertRemoved(PileCache cache)
    {
        for (long key = 1; key < Keys; key += 2)
            Assert.False(TableOf(cache).ContainsKey(key), $"key {key} has come back");
    }

    // A bit of the tag of every other slot: no lookup finds the entry by its key.
    private static void DamageSlots(string directory) => Change(directory, FileIndexStorage.BucketsPrefix, 0, static bytes =>
    {
        int count = 0;
        for (int at = 0; at < TableIndex.MinBuckets * Bucket.SizeBytes; at += sizeof(ulong))
        {
            if (at % Bucket.SizeBytes != 0 && BitConverter.ToUInt64(bytes[at..]) != 0 && count++ % 2 == 0)
                bytes[at + 7] ^= 0x80;
        }
        Assert.NotEqual(0, count);
    });

    // Those of the pile, below the directory of all.
    private static void CopyOwn(string indexes, string copy)
    {
        string own = Directory.GetDirectories(indexes)[0];
        KilledPile.Copy(own, Path.Combine(copy, Path.GetFileName(own)));
    }

    private delegate void Damage(Span<byte> bytes);

    private static void Change(string directory, string prefix, int offset, Damage damage)
    {
        string path = Path.Combine(directory, prefix + "000001");
        byte[] bytes = File.ReadAllBytes(path);
        damage(bytes.AsSpan(offset));
        File.WriteAllBytes(path, bytes);
    }
}
