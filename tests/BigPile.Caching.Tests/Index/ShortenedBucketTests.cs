using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Tests.Index;

/// <summary>A bucket gives overflow lines back that it does not need any more, and nobody misses an entry that moves meanwhile.</summary>
public sealed unsafe class ShortenedBucketTests
{
    private const int Bucket7 = 7;

    [Fact]
    public void A_bucket_that_was_full_once_has_one_line_again()
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        ulong[] hashes = [.. Enumerable.Range(0, 60).Select(static i => (ulong)i << 10 | Bucket7)];
        int seed = TestLeg.Seed(5);
        new Random(seed).Shuffle(hashes);
        foreach (ulong hash in hashes)
            Add(index, hash);
        Assert.Equal(8u, index.Overflow.Used);
        foreach (ulong hash in hashes.Skip(4))
        {
            Remove(index, hash);
            _ = new IndexCheck(index).Run();
        }
        Assert.Equal((0u, 4), (index.Overflow.Used, index.SlotsOf(Bucket7).Count));
        foreach (ulong hash in hashes.Take(4))
            Assert.True(index.SlotsOf(Bucket7).Has(new IndexSlot(hash, AddressOf(hash))), $"seed {seed}");
    }

    /// <summary>As a cache at its limit: as many keys go as come.</summary>
    [Fact]
    public void A_table_that_is_turned_over_has_no_more_lines_than_before()
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        int seed = TestLeg.Seed(6);
        var random = new Random(seed);
        var hashes = new Queue<ulong>();
        for (int step = 0; step < TestLeg.Steps(200_000, 2_000_000); step++)
        {
            ulong hash = (ulong)random.NextInt64() & ((1UL << 33) - 1); // of which the index knows all bits
            if (index.SlotsOf(index.Locate(hash)).Has(new IndexSlot(hash, AddressOf(hash))))
                continue;
            hashes.Enqueue(hash);
            Add(index, hash);
            if (hashes.Count <= 20_000)
                index.GrowFor(hashes.Count);
            else
                Remove(index, hashes.Dequeue());
        }
        _ = new IndexCheck(index).Run();
        ulong full = 0;
        for (ulong number = 0; number < index.BucketCount; number++)
            full += index.SlotsOf(number).Count > Bucket.SlotCount ? 1u : 0u;
        Assert.Equal((seed, full), (seed, index.Overflow.Used)); // none has more than 14
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_kill_while_entries_move_leaves_each_of_them_once(int moves)
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        for (int i = 0; i < 10; i++)
            Add(index, (ulong)i << 10 | Bucket7);
        Bucket* first = index.At(Bucket7);
        for (int slot = 1; slot <= 3; slot++)
            Bucket.Store(first, slot, default);
        ulong[] slots = Slots(index);
        index.Head->UsedIfLedTo = index.Overflow.Used;
        index.Head->BeforeOnItsWay = Bucket7;
        index.Head->OnItsWay = first->Next;
        SlotPlace[] behind = [.. Places(new BucketSlots(index, index.Next(first)))];
        for (int i = 0; i < moves; i++) // the last one is in both lines
        {
            Bucket.Store(first, i + 1, behind[i].Value);
            if (i < moves - 1)
                behind[i].Store(default);
        }
        index.Recover();
        index.Recover(); // and once more, after a kill in between
        Assert.Equal(slots, Slots(index));
        index.LockBucket(Bucket7).Dispose();
        Assert.Equal(slots, Slots(index));
        Assert.Equal(0u, index.Overflow.Used);
        _ = new IndexCheck(index).Run();
    }

    /// <summary>The one key that stays goes from line to line, as others of its bucket come and go.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_key_that_stays_is_found_at_each_instant(bool isPlain)
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());
        long[] keys = [.. KeysOfOneBucket(table).Take(16)];
        if (isPlain)
            table.PutBytes(keys[0], new byte[10], out _);
        else
            table.PutBytes(keys[0], new byte[10], new EntryOptions { MaxAge = TimeSpan.FromHours(1) }, out _);
        int seed = TestLeg.Seed(9);
        int isOver = 0;
        Task churn = SideBySide.Start(() =>
        {
            try
            {
                var random = new Random(seed);
                for (int step = 0; step < TestLeg.Steps(100_000, 5_000_000); step++)
                {
                    long key = keys[random.Next(1, keys.Length)];
                    if (!table.Remove(key))
                        table.PutBytes(key, new byte[10], out _);
                }
            }
            finally
            {
                Volatile.Write(ref isOver, 1);
            }
        });
        Task reads = SideBySide.Start(() =>
        {
            for (long read = 0; Volatile.Read(ref isOver) == 0; read++)
                Assert.True(table.TryGet(keys[0], out _), $"seed {seed}, read {read}");
        });
        Task sweeps = SideBySide.Start(() =>
        {
            while (Volatile.Read(ref isOver) == 0)
                table.Sweep(); // a round that overlooks the key on its way would be the last
        });
        Assert.True(Task.WaitAll([churn, reads, sweeps], Eventually.Timeout), $"seed {seed}: someone goes round");
        table.Core.CheckInvariants();
    }

    private static IEnumerable<long> KeysOfOneBucket(CacheTable<long, byte[]> table)
    {
        var stack = new byte[KeyBuffer.SizeBytes];
        for (long key = 0; ; key++)
        {
            if (table.KeyCodec.HashOf(key, stack) % TableIndex.MinBuckets == Bucket7)
                yield return key;
        }
    }

    private static ulong AddressOf(ulong hash) => (hash >> 6) + 1;

    private static void Add(TableIndex index, ulong hash)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Store(new IndexSlot(hash, AddressOf(hash)));
    }

    private static void Remove(TableIndex index, ulong hash)
    {
        using LockedBucket bucket = index.Lock(hash);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Word == new IndexSlot(hash, AddressOf(hash)).Word)
                place.Store(default);
        }
    }

    private static ulong[] Slots(TableIndex index) => [.. Places(index.SlotsOf(Bucket7)).Select(static place => place.Value.Word).Order()];

    private static List<SlotPlace> Places(BucketSlots slots)
    {
        var places = new List<SlotPlace>();
        foreach (SlotPlace place in slots)
            places.Add(place);
        return places;
    }
}
