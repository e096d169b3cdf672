using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// Index files with any word changed: a miss or a walk, never a wrong value, a crash or a hang; and the pile stays whole.
/// </summary>
public sealed class DamagedIndexTests(ITestOutputHelper output) : StoppedCacheTest
{
    private const int Keys = 1_500;
    private const int Limited = 400;

    private static readonly Dictionary<string, WordKind> Kinds = new()
    {
        ["identity of a table's index"] = new(FileIndexStorage.HeadPrefix, 0, 48),
        ["flags and state"] = new(FileIndexStorage.HeadPrefix, 48, 56),
        ["number of buckets"] = new(FileIndexStorage.HeadPrefix, 64, 80),
        ["overflow lines"] = new(FileIndexStorage.HeadPrefix, 128, 160),
        ["marks"] = new(FileIndexStorage.HeadPrefix, 192, 256),
        ["sums of counters"] = new(FileIndexStorage.HeadPrefix, 256, 280),
        ["cells of counters"] = new(FileIndexStorage.HeadPrefix, 4096, 4096 + 12 * 128),
        ["frequencies"] = new(FileIndexStorage.BucketsPrefix, 0, 0, 0, 2),
        ["states of buckets"] = new(FileIndexStorage.BucketsPrefix, 0, 0, 2, 3),
        ["marks of buckets"] = new(FileIndexStorage.BucketsPrefix, 0, 0, 3, 4),
        ["next lines of buckets"] = new(FileIndexStorage.BucketsPrefix, 0, 0, 4, 8),
        ["slots of buckets"] = new(FileIndexStorage.BucketsPrefix, 0, 0, 8, 64),
        ["control of overflow lines"] = new(FileIndexStorage.OverflowPrefix, 64, 0, 0, 4),
        ["next lines of overflow lines"] = new(FileIndexStorage.OverflowPrefix, 64, 0, 4, 8),
        ["slots of overflow lines"] = new(FileIndexStorage.OverflowPrefix, 64, 0, 8, 64),
        ["head of all indexes"] = new(IndexFiles.FileName, 0, 84),
        ["notes of changes"] = new(IndexFiles.FileName, 4096, 4096 + 8 * 64),
    };

    public static TheoryData<string> KindNames => [.. Kinds.Keys];

    [Theory]
    [MemberData(nameof(KindNames))]
    public async Task A_changed_word_costs_a_miss_or_a_walk_and_nothing_else(string kindName)
    {
        int seed = TestLeg.Seed(1_000 + kindName.Length * 31 + kindName[0]);
        var random = new Random(seed);
        string killed = Kill(Fill);
        int damaged = 0;
        for (int round = 0; round < TestLeg.Steps(4, 400); round++)
        {
            string path = Path.Combine(DirectoryPath, $"damaged-{round}");
            KilledPile.Copy(killed, path);
            string what = Change(path, Kinds[kindName], random);
            Task<bool> probe = SideBySide.Start(() => Probe(path));
            Assert.True(
                await Task.WhenAny(probe, Task.Delay(Eventually.Timeout)) == probe, $"seed {seed}, round {round}: {what}: it hangs");
            try
            {
                damaged += await probe ? 1 : 0;
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"seed {seed}, round {round}: {what}: {e.Message}", e);
            }
            Directory.Delete(path, recursive: true);
        }
        output.WriteLine($"seed {seed}: damage was noticed {damaged} times");
    }

    private static void Fill(PileCache cache)
    {
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < Keys; key++)
            table.Put(key, ValueOf(key), key % 9 == 0 ? new EntryOptions { Tags = [key % 2 == 0 ? "even" : "odd"] } : null);
        table.RemoveByTag("even");
        CacheTable<long, byte[]> limited = cache.GetOrCreateTable<long, byte[]>(new TableOptions("limited") { MaxEntries = Limited });
        for (long key = 0; key < 2 * Limited; key++)
            limited.Put(key, ValueOf(key));
        Assert.NotEqual(0u, table.Core.Index.Overflow.Used);
    }

    private static string Change(string path, WordKind kind, Random random)
    {
        string[] files = [.. Directory.GetFiles(path, kind.Prefix + "*").Where(file => IsOf(file, kind)).Order(StringComparer.Ordinal)];
        string file = files[random.Next(files.Length)];
        byte[] bytes = File.ReadAllBytes(file);
        int line = kind.Start + random.Next((bytes.Length - kind.Start) / Bucket.SizeBytes) * Bucket.SizeBytes;
        int at = kind.End != 0 ? random.Next(kind.Start, kind.End) : line + random.Next(kind.InLine, kind.LineEnd);
        byte before = bytes[at];
        if (random.Next(3) == 0)
            random.NextBytes(bytes.AsSpan(at / 4 * 4, 4));
        else
            bytes[at] ^= (byte)(1 << random.Next(8));
        File.WriteAllBytes(file, bytes);
        return $"{Path.GetFileName(file)}, byte {at}, {before:x2} to {bytes[at]:x2}";
    }

    private static bool IsOf(string file, WordKind kind) =>
        kind.Prefix != IndexFiles.FileName || Path.GetFileName(file) == IndexFiles.FileName;

    /// <summary>Uses a damaged pile in every way, before and behind the comparison, and opens it once more.</summary>
    private bool Probe(string path)
    {
        bool wasNoticed;
        using (PileCache cache = TestCache.Open(path, Time))
        {
            Read(cache, mayMiss: true);
            Use(cache);
            cache.Readiness.Inspection.Wait();
            Read(cache, mayMiss: false);
            foreach (TableEngine core in cache.Engines())
                core.CheckInvariants();
            wasNoticed = !cache.Readiness.WasRestored || cache.Engines().Any(static core => core.DamageCount != 0);
        }
        using (PileCache cache = TestCache.Open(path, Time))
            Read(cache, mayMiss: false);
        Assert.True(Pile.VerifyDirectory(path).IsSound);
        return wasNoticed;
    }

    private static void Read(PileCache cache, bool mayMiss)
    {
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < Keys; key++)
        {
            bool isThere = table.TryGet(key, out byte[]? value);
            if (isThere)
                Assert.Equal(ValueOf(key), value);
            Assert.False(isThere && key % 18 == 0, $"key {key} was removed by its tag");
            Assert.True(isThere || mayMiss || key % 18 == 0, $"key {key} is not there");
        }
        CacheTable<long, byte[]> limited = cache.GetOrCreateTable<long, byte[]>(new TableOptions("limited") { MaxEntries = Limited });
        for (long key = Keys; !mayMiss && key < 2 * Keys; key++)
            Assert.False(table.ContainsKey(key), $"key {key} was removed");
        for (long key = 0; key < 3 * Limited; key++)
        {
            if (limited.TryGet(key, out byte[]? value))
                Assert.Equal(ValueOf(key), value);
        }
        _ = table.Keys.Count() + limited.Keys.Count();
        _ = table.Sweep();
    }

    private static void Use(PileCache cache)
    {
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        CacheTable<long, byte[]> limited = cache.GetOrCreateTable<long, byte[]>("limited");
        for (long key = 1; key < Keys; key += 5)
        {
            if (key % 18 == 0)
                continue;
            table.Put(key, ValueOf(key));
            _ = table.Remove(key);
            table.Put(key, ValueOf(key));
        }
        for (long key = 0; key < 3 * Limited; key += 2)
            limited.Put(key, ValueOf(key));
        for (long key = Keys; key < 2 * Keys; key++) // splits
            table.Put(key, ValueOf(key));
        for (long key = Keys; key < 2 * Keys; key++)
            _ = table.Remove(key);
    }

    private static byte[] ValueOf(long key)
    {
        var value = new byte[8 + key % 50];
        BitConverter.TryWriteBytes(value, key);
        return value;
    }

    /// <summary>Bytes of a file: from one on to another, or a part of each line behind the first.</summary>
    private sealed record WordKind(string Prefix, int Start, int End, int InLine = 0, int LineEnd = 0);
}
