using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Tests.Index;

public sealed unsafe class IndexTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(255)]
    [InlineData(0xFFF)]
    [InlineData(0x123456789)]
    public void A_slot_and_its_bucket_tell_34_bits_of_the_hash(ulong bucket)
    {
        var random = new Random(TestLeg.Seed(1));
        for (int i = 0; i < 1000; i++)
        {
            ulong hash = ((ulong)random.NextInt64() & ~0x3FUL) | (bucket & 0x3F);
            ulong address = (ulong)random.NextInt64(1, 1L << 36);
            var slot = new IndexSlot(hash, address);
            Assert.Equal((address, hash & ((1UL << 34) - 1)), (slot.Address, slot.KnownHash(bucket)));
            Assert.True(slot.MayBe(hash) && !slot.IsEmpty);
            Assert.False(slot.MayBe(hash ^ (1UL << random.Next(6, 34))));
        }
        Assert.False(default(IndexSlot).MayBe(0));
    }

    /// <summary>A thread may sleep between computing and using a bucket's number, while the index grows several times.</summary>
    [Fact]
    public void A_bucket_is_found_from_every_number_that_was_right_once()
    {
        int seed = TestLeg.Seed(7);
        var random = new Random(seed);
        var index = new TableIndex(new MemoryIndexStorage(), 0);
        Task run = SideBySide.Start(() =>
        {
            for (long entries = 0; index.BucketCount < TableIndex.MinBuckets * 9; entries += 50)
            {
                index.GrowFor(entries);
                ulong hash = (ulong)random.NextInt64();
                for (ulong once = TableIndex.MinBuckets; once <= index.BucketCount; once *= 2)
                    AssertFound(index, hash, hash & (once - 1), $"seed {seed}, {index.BucketCount} buckets");
            }
        });
        Assert.True(run.Wait(Eventually.Timeout), $"seed {seed}: a search goes round");
        index.Dispose(); // not after a failure: a search that goes round would crash all the tests with it
    }

    private static void AssertFound(TableIndex index, ulong hash, ulong number, string message)
    {
        ulong right = index.Locate(hash);
        Assert.True(index.FindFrom(hash, number, out _) == index.At(right), message);
        using LockedBucket bucket = index.LockFrom(hash, number);
        Assert.True(bucket.Number == right && bucket.First == index.At(right), message);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_random_run_of_a_growing_index_agrees_with_a_dictionary(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        var model = new Dictionary<ulong, ulong>();
        var hashes = new List<ulong>();
        for (int step = 0; step < TestLeg.Steps(200_000, 5_000_000); step++)
        {
            if (hashes.Count == 0 || random.Next(5) < 3)
            {
                ulong hash = (ulong)random.NextInt64() << 1 | (uint)random.Next(2);
                ulong address = (ulong)random.NextInt64(1, 1L << 36);
                Add(index, hash, address);
                model.Add(hash, address);
                hashes.Add(hash);
                index.GrowFor(model.Count);
            }
            else
            {
                int at = random.Next(hashes.Count);
                ulong hash = hashes[at];
                if (random.Next(4) == 0)
                {
                    hashes[at] = hashes[^1];
                    hashes.RemoveAt(hashes.Count - 1);
                    Assert.True(Remove(index, hash, model[hash]), $"seed {seed}, step {step}");
                    model.Remove(hash);
                }
                else
                {
                    Assert.True(Contains(index, hash, model[hash]), $"seed {seed}, step {step}");
                }
            }
        }
        Assert.Equal(model.Select(pair => new IndexSlot(pair.Key, pair.Value).Word).Order(), AllSlots(index).Order());
        Assert.InRange(index.BucketCount * 4.3, model.Count, double.MaxValue);
        AssertResponsible(index);
    }

    [Fact]
    public void Its_memory_is_that_of_buckets_and_overflow_lines_within_a_chunk()
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        Assert.Equal(64 * 64, index.SizeBytes);
        var random = new Random(TestLeg.Seed(3));
        const int Count = 1_000_000;
        for (int i = 0; i < Count; i++)
        {
            Add(index, (ulong)random.NextInt64(), (ulong)i + 1);
            if (i % 16 == 0)
                index.GrowFor(i);
        }
        long neededBytes = (long)(index.BucketCount + index.Overflow.Used) * 64;
        Assert.InRange(index.SizeBytes, neededBytes, neededBytes + (5 << 20));
        Assert.InRange(neededBytes / (double)Count, 15, 17.5);
    }

    [Fact]
    public void A_presized_index_has_its_buckets_from_the_start()
    {
        using var index = new TableIndex(new MemoryIndexStorage(), 1_000_000);
        Assert.Equal(262_144UL, index.BucketCount);
        ulong before = index.BucketCount;
        index.GrowFor(1_000_000);
        Assert.Equal(before, index.BucketCount);
    }

    [Theory]
    [InlineData(51)]
    [InlineData(52)]
    public void Nothing_is_lost_or_torn_while_readers_and_writers_meet_in_a_growing_table(int seed)
    {
        seed = TestLeg.Seed(seed);
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());
        const int Fixed = 2000;
        for (long key = 0; key < Fixed; key++)
            table.Put(key, ValueOf(key, 0));
        int steps = TestLeg.Steps(60_000, 3_000_000);
        var put = new int[2];
        SideBySide.Rounds(
        [
            .. put.Select((_, worker) => new SideBySide.Worker(steps, Writer(worker))),
            .. put.Select((_, worker) => new SideBySide.Worker(1_000, Reader(worker))),
        ]);
        Assert.Equal(Fixed + put.Sum(), table.Count);
        for (int worker = 0; worker < put.Length; worker++)
        {
            for (int step = 1; step <= put[worker]; step++)
                Assert.True(table.ContainsKey(Fixed + 2L * step + worker));
        }
        AssertResponsible(table.Core.Index);

        Action<int> Writer(int worker)
        {
            var random = new Random(seed * 100 + worker);
            return number =>
            {
                int step = put[worker] = number + 1;
                table.Put(Fixed + 2L * step + worker, ValueOf(Fixed + 2L * step + worker, 0));
                long key = random.Next(Fixed / 2) * 2 + worker; // each writer has its own, so that versions of a key rise
                table.Put(key, ValueOf(key, step));
            };
        }

        Action<int> Reader(int worker)
        {
            var random = new Random(seed * 1000 + worker);
            var last = new int[Fixed];
            return _ =>
            {
                long key = random.Next(Fixed);
                Assert.True(table.TryGet(key, out byte[]? value), $"seed {seed}: key {key} was lost");
                int step = BitConverter.ToInt32(value, 8);
                Assert.Equal(ValueOf(key, step), value);
                Assert.True(step >= last[key], $"seed {seed}: key {key} went back from {last[key]} to {step}");
                last[key] = step;
            };
        }
    }

    [Fact]
    public void A_walk_meets_what_stays_exactly_once_though_the_table_grows()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());
        for (long key = 0; key < 3000; key++)
            table.Put(key, []);
        var met = new List<long>();
        long next = 10_000;
        foreach (long key in table.Keys)
        {
            met.Add(key);
            for (int i = 0; i < 20 && key < 3000; i++)
                table.Put(next++, []);
        }
        Assert.Equal(Enumerable.Range(0, 3000).Select(key => (long)key), met.Where(key => key < 3000).Order());
        Assert.Equal(met.Count, met.Distinct().Count());
    }

    [Fact]
    public void The_hash_of_a_number_is_that_of_its_bytes_and_differs_by_seed()
    {
        KeyHash one = KeyHash.New();
        KeyHash two = KeyHash.New();
        Assert.NotEqual(one.Of(5), two.Of(5));
        Assert.Equal(one.Of(0x0102030405060708), one.Of([8, 7, 6, 5, 4, 3, 2, 1]));
        ulong[] all = [.. Enumerable.Range(0, 100_000).Select(i => one.Of((ulong)i))];
        for (int bit = 0; bit < 64; bit++)
            Assert.InRange(all.Count(hash => (hash >> bit & 1) != 0), 49_000, 51_000);
    }

    private static byte[] ValueOf(long key, int step)
    {
        var value = new byte[12 + (key + step) % 90];
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(8), step);
        value.AsSpan(12).Fill((byte)(key + step * 31));
        return value;
    }

    private static void Add(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Store(new IndexSlot(hash, address));
    }

    private static bool Contains(TableIndex index, ulong hash, ulong address)
    {
        for (Bucket* line = index.Find(hash, out _); line != null; line = index.Next(line))
        {
            for (uint match = Bucket.Match(line, IndexSlot.TagOf(hash)); match != 0; match &= match - 1)
            {
                if (Bucket.Load(line, BitOperations.TrailingZeroCount(match)).Address == address)
                    return true;
            }
        }
        return false;
    }

    private static bool Remove(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        bool isRemoved = false;
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Word != new IndexSlot(hash, address).Word)
                continue;
            place.Store(default);
            isRemoved = true;
        }
        return isRemoved;
    }

    private static List<ulong> AllSlots(TableIndex index)
    {
        var all = new List<ulong>();
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            for (Bucket* line = index.At(number); line != null; line = index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                {
                    if (!Bucket.Load(line, slot).IsEmpty)
                        all.Add(Bucket.Load(line, slot).Word);
                }
            }
        }
        return all;
    }

    private static void AssertResponsible(TableIndex index)
    {
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            byte state = index.At(number)->State;
            Assert.False(Bucket.IsMoving(state));
            ulong mask = (1UL << Bucket.LevelOf(state)) - 1;
            for (Bucket* line = index.At(number); line != null; line = index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                {
                    IndexSlot value = Bucket.Load(line, slot);
                    Assert.True(value.IsEmpty || (value.KnownHash(number) & mask) == number);
                }
            }
        }
    }
}
