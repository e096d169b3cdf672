using System;
using BigPile.Allocation;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tests.Tables;

/// <summary>Objects that entries own: they live as long as their entry, and not longer.</summary>
public sealed class OwnedObjectTests : StoppedCacheTest
{
    [Fact]
    public void The_object_that_a_key_owns_already_stays()
    {
        using PileCache cache = TestCache.Make(Time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        PilePointer pointer = cache.Pile.Put("value");
        table.PutPointer("a", pointer);
        Assert.Equal(PutResult.Replaced, table.PutPointer("a", pointer, new EntryOptions { Priority = EntryPriority.High }));
        Assert.Equal((pointer, "value"), (table.GetPointer("a"), table.Get("a")));
        Assert.True(table.Touch("a", new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) }));
        Assert.Equal((pointer, "value"), (table.GetPointer("a"), table.Get("a")));
        Time.Advance(TimeSpan.FromSeconds(10));
        table.Sweep();
        Assert.False(cache.Pile.Contains(pointer));
        Assert.Equal(0, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void An_owned_object_can_be_too_old_as_any_value()
    {
        using PileCache cache = TestCache.Make(Time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.PutPointer("a", cache.Pile.Put("value"));
        Time.Advance(TimeSpan.FromSeconds(10));
        Assert.True(table.TryGet("a", TimeSpan.FromSeconds(10), out _));
        Assert.False(table.TryGet("a", TimeSpan.FromSeconds(9), out _));
    }

    [Fact]
    public void An_entry_whose_object_was_freed_before_a_kill_goes_when_it_is_found()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (int key = 0; key < 3; key++)
                table.PutPointer(key, cache.Pile.Put(new byte[] { 1 }));
            cache.Pile.Delete(table.GetPointer(0));
            cache.Pile.Delete(table.GetPointer(1));
            PutBlock(cache, 1, 1, ValueKind.Bytes, [7]); // an older one of the key: nothing newer is left of it
        });
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(2, table.Count);
        Assert.Equal([7], table.Get(1));
        Assert.Equal([1], table.Get(2));
        Assert.Equal(3, cache.Pile.Statistics.ObjectCount);
    }

    /// <summary>The state after a kill between the entry and its externalized object; the pile is used before the tables.</summary>
    [Fact]
    public void An_entry_whose_object_was_not_there_yet_goes_and_the_one_with_the_value_stays()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            table.Put(1, [7]);
            var critical = cache.Pile.Blocks.Barrier.EnterReader();
            Slot slot = cache.Pile.Tables.Take(critical, 100, isEvictable: false, out _);
            critical.Exit();
            ulong pointer = slot.Pointer.ToUInt64();
            PutBlock(cache, 1, cache.Pile.Engine.Versions.Last + 1, ValueKind.Pointer, BitConverter.GetBytes(pointer));
        });
        using (Pile pile = Pile.Open(killed))
        {
            for (int i = 0; i < 1_000; i++)
                _ = pile.Put(new byte[100]);
        }
        using PileCache cache = TestCache.Open(killed, Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal([7], table.Get(1));
        Assert.Equal(1_001, cache.Pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_value_that_is_moved_out_stays_what_it_is_and_goes_with_its_entry()
    {
        using PileCache cache = TestCache.Make(Time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("a", "value", new EntryOptions { Priority = EntryPriority.High, Tags = ["tag"] });
        PilePointer pointer = table.GetPointer("a");
        Assert.Equal((pointer, "value", "value"), (table.GetPointer("a"), table.Get("a"), cache.Pile.Get(pointer)));
        Assert.Equal(2, cache.Pile.Statistics.ObjectCount);
        table.RemoveByTag("tag");
        table.Sweep();
        table.Sweep();
        Assert.False(cache.Pile.Contains(pointer));
    }

    [Fact]
    public void Without_room_to_move_it_to_a_value_stays_in_its_entry()
    {
        using var pile = new Pile(new PileOptions { MaxBytes = 4 << 20, SegmentBytes = 4 << 20 });
        using var cache = new PileCache(pile);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>(TestCache.Durable());
        table.Put("a", new byte[2_500_000]);
        long? blocks = pile.Statistics.ObjectCount;
        Assert.Throws<PileFullException>(() => table.GetPointer("a"));
        Assert.Equal((2_500_000, blocks), (table.Get("a").Length, pile.Statistics.ObjectCount));
        Assert.True(pile.Verify().IsSound);
    }
}
