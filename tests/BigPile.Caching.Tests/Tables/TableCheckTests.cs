using System;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Tables;

/// <summary>What a check of a table finds.</summary>
public sealed class TableCheckTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_slot_with_the_tag_of_another_hash_is_found_in_every_store(bool isMapped)
    {
        using var directory = new TemporaryDirectory();
        var options = new PileOptions { SegmentBytes = 4 << 20 };
        Pile pile = isMapped ? Pile.Open(directory.Pile, options) : new Pile(options);
        using var cache = new PileCache(pile, new PileCacheOptions { OwnsPile = true });
        var tableOptions = new TableOptions("t") { CollisionMode = CollisionMode.Durable };
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>(tableOptions);
        for (int i = 0; i < 1000; i++)
            table.Put(i, "value");
        table.Core.CheckInvariants();
        foreach (SlotPlace place in table.Core.Index.SlotsOf(5))
        {
            IndexSlot slot = place.Value;
            place.Store(new IndexSlot(slot.Word ^ (1UL << 63)));
            string message = Assert.Throws<InvalidOperationException>(table.Core.CheckInvariants).Message;
            Assert.Contains("the tag of another hash", message, StringComparison.Ordinal);
            place.Store(slot);
        }
        table.Core.CheckInvariants();
    }
}
