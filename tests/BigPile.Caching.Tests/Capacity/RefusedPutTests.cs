using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>A change that a limit refuses changes nothing, and a replacement needs space for the difference only.</summary>
public sealed class RefusedPutTests : IDisposable
{
    private const long Limit = 1 << 20;

    private static readonly EntryOptions Pinned = new() { Priority = EntryPriority.NeverEvict };

    private readonly PileCache _cache = TestCache.Make();
    private readonly CacheTable<string, byte[]> _table;

    public RefusedPutTests() => _table = _cache.GetOrCreateTable<string, byte[]>(TestCache.Durable() with { MaxBytes = Limit });

    public void Dispose()
    {
        try
        {
            _table.Core.CheckInvariants();
        }
        finally
        {
            _cache.Dispose();
        }
    }

    [Fact]
    public void A_put_that_is_larger_than_the_limit_evicts_nothing()
    {
        Fill(1000, null);
        Assert.Equal(PutResult.Collision, _table.Put("large", new byte[Limit]));
        Assert.Equal((1000, 0), (_table.Count, _table.Statistics.Evictions));
    }

    [Theory]
    [InlineData(EntryPriority.Low, EntryPriority.NeverEvict, EntryPriority.Normal)]
    [InlineData(EntryPriority.Low, EntryPriority.High, EntryPriority.Normal)]
    [InlineData(EntryPriority.Low, EntryPriority.Normal, EntryPriority.Low)]
    [InlineData(EntryPriority.High, EntryPriority.NeverEvict, EntryPriority.NeverEvict)]
    public void A_put_that_what_may_go_makes_no_room_for_evicts_nothing(EntryPriority one, EntryPriority other, EntryPriority own)
    {
        Fill(500, new EntryOptions { Priority = one }, valueBytes: 300);
        Fill(1000, new EntryOptions { Priority = other }, from: 500, valueBytes: 300);
        Assert.Equal(PutResult.Collision, _table.Put("large", new byte[850_000], new EntryOptions { Priority = own }));
        Assert.Equal((1000, 0), (_table.Count, _table.Statistics.Evictions));
        const int AllowanceBytes = 128 << 10;
        long freeBytes = Limit - AllowanceBytes - _table.Statistics.TotalBytes;
        Assert.Equal(PutResult.Overwritten, _table.Put("small", new byte[freeBytes + 20_000], new EntryOptions { Priority = own }));
        Assert.InRange(_table.Keys.Count(), 502, 1000);
    }

    /// <summary>The bucket of the key is full of what may not go for it, and others that may go would make no place there.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public unsafe void A_put_that_finds_no_place_in_its_bucket_evicts_and_ages_nothing_however_often_it_comes(bool isLimited)
    {
        var options = new TableOptions("s") { FixedIndex = true, InitialEntries = 1 };
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>(options);
        string[] full = [.. KeysOf(table, bucket: 0).Take(Bucket.SlotCount + 1)];
        string[] others = [.. KeysOf(table, bucket: 1).Take(3)];
        foreach (string key in full[1..])
            table.Put(key, [1], new EntryOptions { Priority = EntryPriority.High });
        foreach (string key in others)
            table.Put(key, [1]);
        foreach (string key in full[1..])
            Assert.True(table.ContainsKey(key) && table.ContainsKey(key));
        if (isLimited)
            table.Configure(options with { MaxEntries = table.Count });
        for (int i = 0; i < 4; i++)
            Assert.Equal(PutResult.Collision, table.Put(full[0], [2]));
        Assert.Equal((Bucket.SlotCount + 3, 0, 4), (table.Count, table.Statistics.Evictions, table.Statistics.Collisions));
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
            Assert.Equal(2, table.Core.Index.At(0)->Frequency(slot));
        table.Core.CheckInvariants();
        table.Remove(full[1]);
        Assert.Equal(PutResult.Inserted, table.Put(full[0], [2]));
    }

    private static IEnumerable<string> KeysOf(CacheTable<string, byte[]> table, ulong bucket) =>
        Enumerable.Range(0, 10_000).Select(
            static i => $"k{i}").Where(key => table.Core.Index.Locate(table.KeyCodec.HashOf(key, new byte[64])) == bucket);

    [Fact]
    public void What_may_go_is_known_after_the_limits_were_set_anew()
    {
        _table.Configure(TestCache.Durable());
        Fill(500, null);
        Fill(1000, Pinned, from: 500);
        _table.Configure(TestCache.Durable() with { MaxBytes = Limit });
        Assert.Equal(PutResult.Collision, _table.Put("large", new byte[850_000]));
        Assert.Equal((1000, 0), (_table.Count, _table.Statistics.Evictions));
    }

    [Fact]
    public void An_update_whose_condition_is_not_met_evicts_nothing()
    {
        Fill(1000, null);
        Assert.False(_table.Update("key 0", new byte[800_000], version: 12345, out _));
        Assert.False(_table.Update("key 0", new byte[800_000], version: 0, out _));
        Assert.False(_table.Update("none", new byte[800_000], version: 12345, out _));
        Assert.Equal((1000, 0), (_table.Count, _table.Statistics.Evictions));
    }

    [Fact]
    public void An_update_needs_room_for_the_difference_only()
    {
        _table.Put("key", new byte[400_000], null, out EntryInfo info);
        Assert.True(_table.Update("key", new byte[600_000], info.Version, out info));
        Assert.Equal(600_000, _table.Get("key")!.Length);
        Assert.False(_table.Update("key", new byte[Limit], info.Version, out _));
        Assert.Equal(600_000, _table.Get("key")!.Length);
        Assert.Equal(0, _table.Statistics.Evictions);
    }

    [Fact]
    public void An_update_with_the_right_version_is_never_refused_while_others_may_go()
    {
        int seed = TestLeg.Seed(1);
        var random = new Random(seed);
        Fill(20_000, null);
        int updates = 0;
        for (int step = 0; step < TestLeg.Steps(100_000, 2_000_000); step++)
        {
            string key = $"key {random.Next(20_000)}";
            if (!_table.TryGet(key, out _, out EntryInfo info))
                _table.Put(key, new byte[100]);
            else if (_table.Update(key, new byte[100 + random.Next(60)], info.Version, out _))
                updates++;
            else
                Assert.Fail($"seed {seed}, step {step}");
        }
        Assert.NotEqual(0, updates);
    }

    [Fact]
    public void A_touch_with_options_does_not_evict_the_entry()
    {
        _table.Put("key", new byte[500_000]);
        Assert.True(_table.Touch("key", new EntryOptions { MaxAge = TimeSpan.FromHours(1) }));
        Assert.True(_table.TryGetEntry("key", out TableEntry<string> entry));
        Assert.NotNull(entry.ExpiresAt);
        Assert.Equal(0, _table.Statistics.Evictions);
    }

    [Fact]
    public void A_replacement_of_the_only_entry_is_no_eviction()
    {
        _table.Put("key", new byte[500_000]);
        Assert.Equal(PutResult.Replaced, _table.Put("key", new byte[500_001]));
        Assert.Equal(PutResult.Replaced, _table.Put("key", new byte[1000]));
        Assert.Equal(PutResult.Replaced, _table.Put("key", new byte[700_000]));
        Assert.Equal((1, 0), (_table.Count, _table.Statistics.Evictions));
    }

    [Fact]
    public void A_replacement_evicts_others_for_the_difference()
    {
        Fill(1000, null);
        Assert.Equal(PutResult.Replaced, _table.Put("key 0", new byte[850_000]));
        Assert.Equal(850_000, _table.Get("key 0")!.Length);
        Assert.InRange(_table.Statistics.Evictions, 1, 999);
    }

    [Fact]
    public void A_pinned_entry_can_be_replaced_and_is_kept_when_that_is_refused()
    {
        _table.Put("key", new byte[500_000], Pinned);
        Assert.Equal(PutResult.Replaced, _table.Put("key", new byte[500_001], Pinned));
        Assert.Equal(PutResult.Collision, _table.Put("key", new byte[Limit], Pinned));
        Assert.Equal(500_001, _table.Get("key")!.Length);
    }

    [Fact]
    public void A_touch_that_is_refused_says_so()
    {
        FillWithPinned();
        EntryOptions options = Pinned with { MaxAge = TimeSpan.FromHours(1), Tags = ["one", "two", "three", "four"] };
        bool[] done = [.. _table.Keys.ToArray().Select(key => _table.Touch(key, options))];
        Assert.Contains(false, done);
        Assert.Equal(done.Count(isDone => isDone), _table.Entries.Count(entry => entry.ExpiresAt != null));
    }

    [Fact]
    public void A_touch_of_an_object_that_is_refused_says_so()
    {
        _table.PutPointer("pointer", _cache.Pile.Put(new byte[10]), Pinned);
        FillWithPinned();
        EntryOptions options = Pinned with { MaxAge = TimeSpan.FromHours(1), Tags = [.. Enumerable.Range(0, 8).Select(i => $"tag {i}")] };
        Assert.False(_table.Touch("pointer", options));
        Assert.Equal(10, _table.Get("pointer")!.Length);
    }

    [Fact]
    public void A_pointer_is_got_in_a_table_that_is_full_of_pinned_entries()
    {
        _table.Put("key", new byte[100], Pinned);
        FillWithPinned();
        Assert.True(_table.TryGetPointer("key", out PilePointer pointer));
        Assert.Equal(100, _cache.Pile.SizeOf(pointer));
    }

    [Fact]
    public void That_no_room_is_left_to_move_a_value_to_is_told()
    {
        string[] empty = FillWithPinned(largest: 0);
        int told = 0;
        foreach (string key in empty)
        {
            try
            {
                Assert.True(_table.TryGetPointer(key, out _));
            }
            catch (PileFullException)
            {
                told++;
                Assert.Equal([], _table.Get(key));
            }
        }
        Assert.NotEqual(0, told);
    }

    [Fact]
    public void A_new_key_that_is_refused_leaves_the_limit_in_entries_alone()
    {
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>(
            TestCache.Durable("both") with { MaxBytes = Limit, MaxEntries = 100 });
        for (int i = 0; i < 100; i++)
            table.Put($"key {i}", new byte[100]);
        Assert.Equal(PutResult.Collision, table.Put("large", new byte[Limit]));
        Assert.Equal((100, 0), (table.Count, table.Statistics.Evictions));
        table.Core.CheckInvariants();
    }

    private void Fill(int to, EntryOptions? options, int from = 0, int valueBytes = 100)
    {
        for (int i = from; i < to; i++)
            _table.Put($"key {i}", new byte[valueBytes], options);
    }

    // Returns the keys with empty values. They differ in length: not all of their slots fit a pointer.
    private string[] FillWithPinned(int largest = 1000)
    {
        var empty = new List<string>();
        int count = 0;
        for (int size = largest; size >= 0; size = size == 0 ? -1 : size / 2)
        {
            string key;
            while (_table.Put(key = $"pinned {count}{new string('.', count % 16)}", new byte[size], Pinned) != PutResult.Collision)
            {
                if (size == 0)
                    empty.Add(key);
                count++;
            }
        }
        return [.. empty];
    }
}
