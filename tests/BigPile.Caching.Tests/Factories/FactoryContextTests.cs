using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What a factory knows and decides.</summary>
public sealed class FactoryContextTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    private static readonly EntryOptions Kept =
        new() { MaxAge = Life, FailSafeMaxAge = TimeSpan.FromHours(1), Tags = ["tag"], Priority = EntryPriority.High };

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;

    public FactoryContextTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void It_decides_by_the_result_how_the_value_is_put()
    {
        string Make(string key, FactoryContext<string> context)
        {
            Assert.Equal(Kept, context.Options);
            context.Options = Kept with { MaxAge = key == "short" ? Life : 2 * Life, Tags = [key], Priority = EntryPriority.Low };
            return key;
        }
        foreach (string key in new[] { "short", "long" })
            Assert.Equal(key, _table.GetOrAdd(key, Make, Kept));
        Assert.True(_table.TryGetEntry("long", out TableEntry<string> entry));
        Assert.Equal((2 * Life, EntryPriority.Low), (entry.Info.Lifetime, entry.Priority));
        _time.Advance(Life);
        Assert.False(_table.ContainsKey("short"));
        _table.RemoveByTag("tag"); // it has another one
        Assert.True(_table.ContainsKey("long"));
        _table.RemoveByTag("long");
        Assert.False(_table.ContainsKey("long"));
    }

    [Fact]
    public async Task What_is_not_to_be_kept_is_given_to_all_who_wait_and_made_anew_for_the_next()
    {
        int runs = 0;
        var go = new TaskCompletionSource();
        async ValueTask<string> MakeAsync(string key, FactoryContext<string> context, CancellationToken stop)
        {
            context.IsKept = false;
            await go.Task;
            return $"made {++runs}";
        }
        Task<string> first = _table.GetOrAddAsync("a", MakeAsync).AsTask();
        Task<string> second = _table.GetOrAddAsync("a", MakeAsync).AsTask();
        go.SetResult();
        Assert.Equal(("made 1", "made 1"), (await first, await second));
        Assert.Equal(("made 2", 0), (await _table.GetOrAddAsync("a", MakeAsync), _table.Count));
    }

    [Fact]
    public void It_sees_the_stale_value_with_its_age_and_version()
    {
        _ = _table.GetOrAdd("a", (_, context) =>
        {
            Assert.False(context.HasStale);
            InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => context.Stale);
            Assert.Contains("no value of the key 'a' of the table 't' that its factory", error.Message, StringComparison.Ordinal);
            Assert.Throws<InvalidOperationException>(() => context.NotModified());
            return "old";
        }, Kept);
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> put));
        _time.Advance(3 * Life);
        Assert.Equal("old and new", _table.GetOrAdd("a", (_, context) =>
        {
            Assert.True(context.HasStale);
            Assert.Equal((put.Info.Version, 3 * Life), (context.StaleInfo.Version, context.StaleAge));
            return $"{context.Stale} and new";
        }, Kept));
    }

    [Fact]
    public void A_stale_value_that_is_not_modified_lives_as_long_again_with_its_tags_and_priority()
    {
        _table.Put("a", "old", Kept with { MaxAge = 2 * Life });
        _time.Advance(2 * Life);
        MadeValue<string> made = _table.GetOrAddEntry("a", (_, context) =>
        {
            context.Options = null; // the caller's would be taken
            return context.NotModified();
        }, Kept);
        Assert.Equal(("old", ValueOrigin.Factory), (made.Value, made.Origin));
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal((2 * Life, EntryPriority.High, TimeSpan.Zero), (entry.Info.Lifetime, entry.Priority, entry.Age));
        _time.Advance(2 * Life - new TimeSpan(1));
        Assert.Equal("old", _table.Get("a"));
        _time.Advance(new TimeSpan(1));
        Assert.Equal("old", _table.GetOrAdd("a", (_, context) => context.Fail("it is kept behind its end again"), Kept));
        _table.RemoveByTag("tag");
        Assert.Throws<FactoryFailedException>(() => _table.GetOrAdd("a", (_, context) => context.Fail("none"), Kept));
    }

    [Fact]
    public void Or_for_another_time()
    {
        _table.Put("a", "old", Kept);
        _time.Advance(Life);
        _ = _table.GetOrAdd("a", (_, context) =>
        {
            context.Options = new EntryOptions { MaxAge = 7 * Life };
            return context.NotModified();
        });
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal((7 * Life, EntryPriority.High), (entry.Info.Lifetime, entry.Priority));
    }

    [Fact]
    public void What_is_removed_while_the_factory_asks_is_not_brought_back()
    {
        _table.Put("a", "old", Kept);
        _time.Advance(Life);
        Assert.Equal("old", _table.GetOrAdd("a", (_, context) =>
        {
            string value = context.NotModified();
            _table.Remove("a");
            return value;
        }, Kept));
        Assert.False(_table.ContainsKey("a"));
        Assert.Throws<FactoryFailedException>(() => _table.GetOrAdd("a", (_, context) => context.Fail("none"), Kept));
    }

    [Fact]
    public void An_object_that_an_entry_owns_is_renewed_too()
    {
        CacheTable<string, byte[]> bytes = _cache.GetOrCreateTable<string, byte[]>("bytes");
        long? objects = _cache.Pile.Statistics.ObjectCount;
        bytes.PutPointer("a", _cache.Pile.Put(new byte[] { 1, 2, 3 }), Kept);
        _time.Advance(Life);
        Assert.Equal([1, 2, 3], bytes.GetOrAdd("a", (_, context) => context.NotModified(), Kept));
        Assert.Equal([1, 2, 3], bytes.Get("a"));
        bytes.Remove("a");
        Assert.Equal(objects, _cache.Pile.Statistics.ObjectCount);
        bytes.Core.CheckInvariants();
    }
}
