using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Kinds.ThirdParty;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Types that are named while others are written.</summary>
public sealed class TypesNamedWhileUsedTests
{
    /// <summary>Each thread remembers the model of its last object.</summary>
    [Fact]
    public void A_model_of_before_is_not_taken_for_ever()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        using var cache = new PileCache(pile);
        pile.Put(new Root { Base = new Base() });
        Assert.Throws<PileSerializationException>(() => pile.Put(new Root { Other = new ThirdPartyPoint(1, 2) }));
        _ = cache.GetOrCreateTable<string, ThirdPartyPoint>("t");
        var derived = (Root)pile.Get(pile.Put(new Root { Base = new Derived { Y = 5 } }))!;
        Assert.Equal(5, ((Derived)derived.Base!).Y);
        Assert.Equal(new ThirdPartyPoint(1, 2), pile.Get<Root>(pile.Put(new Root { Other = new ThirdPartyPoint(1, 2) })).Other);
    }

    /// <summary>What one pile was told is nothing that another one has done.</summary>
    [Fact]
    public void Piles_that_share_options_do_not_share_what_was_named()
    {
        var options = new PileCodecOptions();
        using var first = new Pile(new PileOptions { SegmentBytes = 4 << 20, CodecOptions = options });
        using var second = new Pile(new PileOptions { SegmentBytes = 4 << 20, CodecOptions = options });
        Assert.Throws<PileSerializationException>(() => second.Put(new ThirdPartyPoint(1, 2)));
        foreach (Pile pile in new[] { first, second })
        {
            using var cache = new PileCache(pile);
            cache.GetOrCreateTable<string, ThirdPartyPoint>("t").Put("k", new ThirdPartyPoint(1, 2));
        }
        Assert.Equal(new ThirdPartyPoint(1, 2), second.Get(second.Put(new ThirdPartyPoint(1, 2))));
        using var third = new Pile(new PileOptions { SegmentBytes = 4 << 20, CodecOptions = options });
        Assert.Throws<PileSerializationException>(() => third.Put(new ThirdPartyPoint(1, 2)));
    }

    /// <summary>A caller that has named a type can store it at once, whatever others name or are refused meanwhile.</summary>
    [Fact]
    public void Whoever_names_a_type_can_store_it()
    {
        for (int round = 0; round < TestLeg.Steps(40, 1_000); round++)
        {
            using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20, Store = StoreKind.Managed });
            using var cache = new PileCache(pile);
            using var start = new Barrier(3);
            Task[] tasks =
            [
                .. ((Action[])[Name, Name, BeRefused]).Select(action => Task.Factory.StartNew(
                    () =>
                    {
                        start.SignalAndWait();
                        action();
                    },
                    CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)),
            ];
            Task.WaitAll(tasks);
            Name();

            void Name() => cache.GetOrCreateTable<string, List<Product>>("t").Put("k", [new Product { Name = "a" }]);

            void BeRefused()
            {
                try
                {
                    pile.Put(new Product());
                }
                catch (PileSerializationException)
                {
                    // it was not named yet
                }
            }
        }
    }

    public class Base
    {
        public int X { get; set; }
    }

    public sealed class Derived : Base
    {
        public int Y { get; set; }
    }

    public sealed class Root
    {
        public Base? Base { get; set; }

        public object? Other { get; set; }
    }
}
