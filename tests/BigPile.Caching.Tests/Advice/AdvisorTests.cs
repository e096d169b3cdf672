using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Advice;

namespace BigPile.Caching.Tests.Advice;

/// <summary>Each mistake is named with its remedy, and with the remedy taken it is silent.</summary>
public sealed class AdvisorTests
{
    private const long Limit = 1L << 30;

    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private static readonly TableOptions Durable = TestCache.Durable("t");
    private static readonly TableOptions Speculative = new("t");
    private static readonly PileFacts Pile = new(Limit, 0, Spills: false);

    public static TheoryData<string, TableOptions, TableOptions[]> OfOne => new()
    {
        {
            "InitialEntries", Speculative with { FixedIndex = true },
            [Speculative with { FixedIndex = true, InitialEntries = 100 }, Speculative]
        },
        {
            "InitialEntries", Durable with { InitialEntries = 1_001, MaxEntries = 1_000 },
            [
                Durable with { InitialEntries = 1_000, MaxEntries = 1_000 }, Durable with { MaxEntries = 1 },
                Durable with { InitialEntries = 1 },
            ]
        },
        {
            "InitialEntries", Durable with { InitialEntries = 70_000, MaxBytes = 1 << 20 },
            [Durable with { InitialEntries = 60_000, MaxBytes = 1 << 20 }, Durable with { InitialEntries = 70_000 }]
        },
        {
            "DefaultSliding", Durable with { DefaultSliding = Minute * 2, DefaultMaxAge = Minute },
            [Durable with { DefaultSliding = Minute, DefaultMaxAge = Minute }, Durable with { DefaultMaxAge = Minute }]
        },
        {
            "DefaultMaxAge", Durable with { DefaultSliding = Minute },
            [
                Durable with { DefaultSliding = Minute, DefaultMaxAge = Minute }, Durable with { DefaultSliding = Minute, MaxEntries = 1 },
                Durable with { DefaultSliding = Minute, MaxBytes = 1 << 20 }, Durable with { DefaultSliding = Minute, GivesWay = true },
                Speculative with { DefaultSliding = Minute },
            ]
        },
        {
            "PublicMaxAge", Durable with { PublicMaxAge = Minute * 2, DefaultMaxAge = Minute },
            [Durable with { PublicMaxAge = Minute, DefaultMaxAge = Minute }, Durable with { PublicMaxAge = Minute }]
        },
        {
            "GivesWay", Durable with { GivesWay = true, DefaultPriority = EntryPriority.NeverEvict },
            [
                Durable with { DefaultPriority = EntryPriority.NeverEvict }, Durable with { GivesWay = true },
                Speculative with { DefaultPriority = EntryPriority.NeverEvict },
            ]
        },
        {
            "DefaultPriority", Durable with { MaxBytes = 1 << 20, DefaultPriority = EntryPriority.NeverEvict },
            [
                Durable with { MaxBytes = 1 << 20 }, Durable with { DefaultPriority = EntryPriority.NeverEvict },
                Durable with { MaxBytes = long.MaxValue, DefaultPriority = EntryPriority.NeverEvict },
                Durable with { MaxBytes = 1 << 20, DefaultPriority = EntryPriority.NeverEvict, DefaultMaxAge = Minute },
            ]
        },
        {
            "DefaultPriority", Speculative with { MaxEntries = 100, DefaultPriority = EntryPriority.NeverEvict },
            [
                Speculative with { MaxEntries = 100, DefaultPriority = EntryPriority.High },
                Speculative with { MaxEntries = 100, DefaultPriority = EntryPriority.NeverEvict, DefaultSliding = Minute },
            ]
        },
        {
            "InitialEntries", Durable with { InitialEntries = 100_000_000 },
            [Durable with { InitialEntries = (int)(Limit / 16) }, Durable]
        },
    };

    [Theory]
    [MemberData(nameof(OfOne))]
    public void A_mistake_in_a_table_is_named_with_its_remedy(string remedy, TableOptions wrong, TableOptions[] right)
    {
        string advice = Assert.Single(Of(Pile, wrong));
        Assert.Contains("'t'", advice, StringComparison.Ordinal);
        Assert.Contains(remedy, advice, StringComparison.Ordinal);
        Assert.All(right, options => Assert.Empty(Of(Pile, options)));
    }

    [Fact]
    public void A_window_of_changes_whose_readers_have_to_hurry_is_named_with_its_remedy()
    {
        var hurried = new TableFacts(Durable with { FeedBytes = 1 << 20 }, 0, 0) { FeedWindow = TimeSpan.FromSeconds(4.9) };
        string advice = Assert.Single(Advisor.Of(Pile, [hurried]));
        Assert.Contains("'t'", advice, StringComparison.Ordinal);
        Assert.EndsWith("Raise TableOptions.FeedBytes.", advice, StringComparison.Ordinal);
        Assert.EndsWith(
            "Raise TableOptions.FeedBytes, or leave FeedsValues out.",
            Assert.Single(Advisor.Of(Pile, [hurried with { Options = hurried.Options with { FeedsValues = true } }])),
            StringComparison.Ordinal);
        Assert.EndsWith(
            "Set TableOptions.FeedBytes, such as 16 MiB.", Assert.Single(Advisor.Of(Pile, [hurried with { Options = Durable }])),
            StringComparison.Ordinal);
        Assert.Empty(Advisor.Of(Pile, [hurried with { FeedWindow = TimeSpan.FromSeconds(5) }]));
        Assert.Empty(Advisor.Of(Pile, [hurried with { FeedWindow = null }])); // nobody reads, or nothing was lost yet
    }

    [Fact]
    public void A_sliding_table_that_gives_way_needs_a_pile_with_a_limit()
    {
        Assert.Contains(
            "DefaultMaxAge", Assert.Single(Of(Pile with { LimitBytes = long.MaxValue }, Speculative with { DefaultSliding = Minute })),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Limits_of_tables_above_that_of_the_pile_are_named()
    {
        TableOptions half = Speculative with { Name = "half", MaxBytes = Limit / 2 };
        Assert.Empty(Of(Pile, half, half with { Name = "other" }));
        TableOptions more = half with { Name = "more", MaxBytes = (Limit / 2) + 1 };
        Assert.Contains("they give way to each other", Assert.Single(Of(Pile, half, more)), StringComparison.Ordinal);
        TableOptions stays = more with { Name = "stays", CollisionMode = CollisionMode.Durable };
        string advice = Assert.Single(Of(Pile, half, stays));
        Assert.Contains("1,073,741,824", advice, StringComparison.Ordinal);
        Assert.Contains("puts into the table 'stays'", advice, StringComparison.Ordinal);
        Assert.Contains("raise PileOptions.MaxBytes (Pile:MaxBytes of a server)", advice, StringComparison.Ordinal);
        Assert.Empty(Of(Pile with { LimitBytes = long.MaxValue }, half, stays));
        TableOptions nearlyNone = stays with { MaxBytes = long.MaxValue - 1 };
        Assert.NotEmpty(Of(Pile, nearlyNone, nearlyNone with { Name = "another" }));
        Assert.Empty(Of(Pile with { LimitBytes = long.MaxValue }, nearlyNone, nearlyNone with { Name = "another" }));
    }

    [Fact]
    public void The_largest_number_is_no_limit()
    {
        TableOptions none = Durable with { MaxBytes = long.MaxValue, MaxEntries = long.MaxValue };
        Assert.Empty(Of(Pile, none, none with { Name = "none too" }));
        Assert.Empty(Of(Pile with { LimitBytes = long.MaxValue }, none, none with { Name = "none too" }));
        Assert.Contains("DefaultMaxAge", Assert.Single(Of(Pile, none with { DefaultSliding = Minute })), StringComparison.Ordinal);
        Assert.Contains("SpillDirectory", Assert.Single(Of(Pile with { Spills = true }, none)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_pile_nearly_full_of_what_stays_is_named_with_the_largest_table()
    {
        PileFacts full = Pile with { UsedBytes = Limit / 100 * 95 };
        TableFacts small = Staying(Durable with { Name = "small" }, Limit / 100);
        TableFacts large = Staying(Durable with { Name = "large" }, Limit / 100 * 60);
        string advice = Assert.Single(Advisor.Of(full, [small, large]));
        Assert.Contains("'large'", advice, StringComparison.Ordinal);
        Assert.Contains("Set TableOptions.GivesWay", advice, StringComparison.Ordinal);
        Assert.Empty(Advisor.Of(full, [small, large with { Options = large.Options with { GivesWay = true }, StayingBytes = 0 }]));
        Assert.Empty(Advisor.Of(Pile with { UsedBytes = Limit / 100 * 89 }, [small, large]));
        Assert.Empty(Advisor.Of(full with { LimitBytes = long.MaxValue }, [small, large]));
    }

    [Fact]
    public void Where_entries_that_are_never_evicted_fill_the_pile_their_priority_is_the_remedy()
    {
        PileFacts full = Pile with { UsedBytes = Limit / 100 * 95 };
        var pinning = new TableFacts(Speculative with { Name = "pinning" }, Limit / 100 * 94, Limit / 100 * 93);
        string advice = Assert.Single(Advisor.Of(full, [pinning, Staying(Durable, Limit / 100)]));
        Assert.Contains("entries of the table 'pinning' with the priority NeverEvict", advice, StringComparison.Ordinal);
        Assert.Contains("another EntryOptions.Priority or with an age, or raise PileOptions.MaxBytes", advice, StringComparison.Ordinal);
        Assert.Empty(Advisor.Of(full, [pinning with { StayingBytes = Limit / 100 * 80 }]));
    }

    [Fact]
    public void Where_objects_fill_the_pile_they_are_named()
    {
        PileFacts full = Pile with { UsedBytes = Limit / 100 * 95 };
        TableFacts small = Staying(Durable, Limit / 100 * 40);
        Assert.All(
            new TableFacts[][] { [], [small] }, facts =>
            {
                string advice = Assert.Single(Advisor.Of(full, facts));
                Assert.Contains("above all by objects outside of tables", advice, StringComparison.Ordinal);
                Assert.Contains("Delete objects", advice, StringComparison.Ordinal);
            });
        Assert.Contains("above all by the table 't'", Assert.Single(Advisor.Of(full, [small, Staying(Durable, Limit / 2)])),
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_spill_directory_needs_a_table_that_evicts()
    {
        PileFacts spilling = Pile with { Spills = true };
        Assert.Contains("SpillDirectory", Assert.Single(Of(spilling, Durable)), StringComparison.Ordinal);
        PileFacts unlimited = spilling with { LimitBytes = long.MaxValue };
        Assert.Contains("SpillDirectory", Assert.Single(Of(unlimited, Speculative)), StringComparison.Ordinal);
        Assert.Empty(Of(spilling, Durable, Durable with { Name = "limited", MaxEntries = 1 }));
        TableOptions pinning = Durable with { MaxEntries = 1, DefaultPriority = EntryPriority.NeverEvict, DefaultMaxAge = Minute };
        string advice = Assert.Single(Of(spilling, Durable with { Name = "other" }, pinning));
        Assert.Contains("SpillDirectory", advice, StringComparison.Ordinal);
        Assert.Contains("another TableOptions.DefaultPriority", advice, StringComparison.Ordinal);
        Assert.Empty(Of(spilling, pinning, Speculative with { Name = "evicts" }));
        Assert.Empty(Of(spilling, Speculative));
        Assert.Empty(Of(spilling));
        Assert.Empty(Of(Pile, Durable));
    }

    [Fact]
    public void Several_mistakes_are_all_named()
    {
        Assert.Equal(
            2, Of(Pile, Durable with { MaxBytes = Limit * 2, PublicMaxAge = Minute * 2, DefaultMaxAge = Minute }).Distinct().Count());
    }

    private static string[] Of(PileFacts pile, params IEnumerable<TableOptions> tables) =>
        [.. Advisor.Of(pile, [.. tables.Select(static options => Staying(options, 0))])];

    private static TableFacts Staying(TableOptions options, long bytes) => new(options, bytes, bytes);
}
