using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Advice;

/// <summary>The advice of a cache: asked for, and logged once each by the sweep after tables got their options.</summary>
public sealed class AdviceTests : IDisposable
{
    private const long PileBytes = 8 << 20;

    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly ManualTime _time = new();
    private readonly KeptLog _log = new();
    private readonly PileCache _cache;

    public AdviceTests() => _cache = Make(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes });

    public void Dispose()
    {
        _cache.Dispose();
        _log.Dispose();
    }

    [Fact]
    public void A_mistake_is_said_once_however_often_the_table_is_asked_for()
    {
        Assert.Empty(_cache.Advice());
        TableOptions wrong = TestCache.Durable() with { DefaultSliding = Minute };
        for (int i = 0; i < 3; i++)
        {
            _ = _cache.GetOrCreateTable<int, string>(wrong);
            Sweep();
        }
        Assert.Contains("'t' that are used never end", Assert.Single(_cache.Advice()), StringComparison.Ordinal);
        Assert.Equal(_cache.Advice(), _log.Lines);
    }

    [Fact]
    public void A_table_that_is_made_or_configured_later_is_looked_at_with_the_others()
    {
        CacheTable<int, string> table = _cache.GetOrCreateTable<int, string>(TestCache.Durable("first") with { MaxBytes = PileBytes / 2 });
        Sweep();
        Assert.Empty(_log.Lines);
        _ = _cache.GetOrCreateTable<int, string>(new TableOptions("second") { MaxBytes = PileBytes });
        Sweep();
        Assert.Contains("add up to more than that of the pile, 8,388,608", Assert.Single(_log.Lines), StringComparison.Ordinal);
        table.Configure(table.Options with { DefaultMaxAge = Minute, DefaultSliding = Minute * 2 });
        Sweep();
        Assert.Contains("the sliding time of 00:02:00 ends none", Assert.Single(_log.Lines.Skip(1)), StringComparison.Ordinal);
        table.Configure(table.Options with { DefaultMaxAge = null, DefaultSliding = null });
        _cache.DropTable("second");
        Sweep();
        Assert.Empty(_cache.Advice());
        Assert.Equal(2, _log.Lines.Count);
    }

    [Fact]
    public async Task Readers_of_changes_that_have_to_hurry_are_named_once()
    {
        CacheTable<int, string> table = _cache.GetOrCreateTable<int, string>(TestCache.Durable() with { FeedBytes = 256 << 10 });
        Overrun();
        Sweep();
        Assert.Empty(_cache.Advice()); // nobody reads
        IAsyncEnumerator<ChangeBatch<int, string>> reader = table.Changes().GetAsyncEnumerator();
        Assert.True(await reader.MoveNextAsync());
        Assert.Contains("'t' holds less than 5 seconds", Assert.Single(_cache.Advice()), StringComparison.Ordinal);
        Sweep();
        Overrun();
        Sweep();
        Assert.Equal(_cache.Advice(), _log.Lines);
        table.Configure(table.Options with { FeedBytes = 512 << 10 });
        table.Put(1, "few");
        Assert.Empty(_cache.Advice()); // the new window has lost nothing yet
        await reader.DisposeAsync();

        void Overrun()
        {
            for (int i = 0; i < 40_000; i++)
                table.Put(i % 10, "v");
        }
    }

    [Fact]
    public void A_pile_that_refuses_puts_is_looked_at_again()
    {
        CacheTable<int, byte[]> stays = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("stays"));
        Sweep();
        Assert.Throws<PileFullException>(() => Fill(stays));
        Eventually.True(() => _log.Lines.Count == 1); // the refusal
        Sweep();
        Assert.Contains("above all by the table 'stays'", Assert.Single(_log.Lines.Skip(1)), StringComparison.Ordinal);
        Assert.Equal(_cache.Advice(), _log.Lines.Skip(1));
        for (int i = 0; i < 3; i++)
        {
            Assert.Throws<PileFullException>(() => stays.Put(-1, new byte[PileBytes]));
            _time.Advance(Minute);
        }
        Eventually.True(() => _log.Lines.Count == 5);
        Assert.Equal(4, _log.Lines.Count(static line => line.Contains("refused as the pile", StringComparison.Ordinal)));
    }

    [Fact]
    public void A_table_that_gives_way_is_named_where_it_is_full_of_entries_that_are_never_evicted()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        var never = new EntryOptions { Priority = EntryPriority.NeverEvict };
        Assert.Throws<PileFullException>(() => Fill(table, never));
        Eventually.True(() => _log.Lines.Count == 1); // the refusal
        Sweep();
        Assert.Contains(
            "entries of the table 't' with the priority NeverEvict", Assert.Single(_log.Lines.Skip(1)), StringComparison.Ordinal);
        Assert.Equal(_cache.Advice(), _log.Lines.Skip(1));
    }

    [Fact]
    public void Objects_outside_of_tables_that_fill_the_pile_are_named()
    {
        _ = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        void PutObjects()
        {
            while (true)
                _cache.Pile.Put(new byte[1_000]);
        }

        Assert.Throws<PileFullException>(PutObjects);
        Eventually.True(() => _log.Lines.Count == 1);
        Sweep();
        Assert.Contains("above all by objects outside of tables", Assert.Single(_log.Lines.Skip(1)), StringComparison.Ordinal);
        Assert.Equal(_cache.Advice(), _log.Lines.Skip(1));
    }

    [Fact]
    public void Objects_that_go_with_entries_which_give_way_are_no_objects_outside_of_tables()
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        for (int key = 0; UsedBytes() < 0.95 * PileBytes; key++)
            table.PutPointer(key, _cache.Pile.Put(new byte[1_000]));
        Assert.Empty(_cache.Advice());

        long UsedBytes() => _cache.Pile.Statistics.CommittedBytes - _cache.Pile.Statistics.FreeBytes;
    }

    [Fact]
    public void Until_the_application_has_configured_it_a_table_that_was_found_has_no_mistake()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes }.For(directory.Path);
        using (PileCache first = Make(options))
        {
            CacheTable<int, byte[]> stays = first.GetOrCreateTable<int, byte[]>(TestCache.Durable());
            for (int key = 0; key < 7_500; key++)
                stays.Put(key, new byte[1_000]);
            Assert.Single(first.Advice());
        }
        using PileCache again = Make(options);
        Assert.Empty(again.Advice());
        Sweep();
        Assert.Empty(_log.Lines);
        _ = again.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Assert.Single(again.Advice());
        Sweep();
        Assert.Single(_log.Lines);
    }

    [Fact]
    public void However_many_tables_are_made_the_log_has_a_hundred_lines_at_most()
    {
        for (int i = 0; i < 150; i++)
        {
            _ = _cache.GetOrCreateTable<int, string>(TestCache.Durable($"t{i}") with { DefaultSliding = Minute });
            if (i % 40 == 0)
                Sweep();
        }
        Sweep();
        Sweep();
        Assert.Equal((150, 100), (_cache.Advice().Count, _log.Lines.Distinct().Count()));
        Assert.Equal(100, _log.Lines.Count);
    }

    [Fact]
    public void A_closed_pile_has_no_advice()
    {
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.Advice());
    }

    private static void Fill(CacheTable<int, byte[]> table, EntryOptions? options = null)
    {
        for (int key = 0; ; key++)
            table.Put(key, new byte[1_000], options);
    }

    private void Sweep() => _time.Advance(TimeSpan.FromSeconds(1));

    private PileCache Make(PileOptions options) => new(
        new Pile(options with { TimeProvider = _time, Logger = _log }), new PileCacheOptions { OwnsPile = true, TimeProvider = _time });
}
