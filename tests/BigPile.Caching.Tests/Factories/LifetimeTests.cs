using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Jitter, lifetimes that stay, values that are nothing, and values that can't be read.</summary>
public sealed class LifetimeTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string?> _table;

    public LifetimeTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string?>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Jitter_spreads_lifetimes_up_to_its_length()
    {
        _table.Configure(_table.Options with { DefaultMaxAge = Life, MaxAgeJitter = Life / 2 });
        var lives = new List<TimeSpan>();
        for (int i = 0; i < 1_000; i++)
        {
            _table.Put($"{i}", "x");
            Assert.True(_table.TryGetEntry($"{i}", out TableEntry<string> entry));
            lives.Add(entry.Info.Lifetime!.Value);
        }
        Assert.InRange(lives.Min(), Life, Life * 1.05);
        Assert.InRange(lives.Max(), Life * 1.45, Life * 1.5);
        DateTimeOffset exact = _time.GetUtcNow() + Life;
        _table.Put("exact", "x", new EntryOptions { ExpiresAt = exact });
        Assert.True(_table.TryGetEntry("exact", out TableEntry<string> exactly));
        Assert.Equal(exact, exactly.ExpiresAt);
    }

    [Fact]
    public void A_null_has_a_life_of_its_own()
    {
        _table.Configure(_table.Options with { DefaultMaxAge = Life, NullMaxAge = Life / 10 });
        int runs = 0;
        string? Get(EntryOptions? options = null) => _table.GetOrAdd("a", _ => { runs++; return null; }, options);
        Assert.Null(Get());
        _time.Advance(Life / 10 - new TimeSpan(1));
        Assert.Equal((null, 1), (Get(), runs));
        _time.Advance(new TimeSpan(1));
        Assert.Equal((null, 2), (Get(), runs));
        _table.Remove("a");
        Assert.Equal((null, 3), (Get(new EntryOptions { MaxAge = Life, NullMaxAge = Life / 5 }), runs));
        _time.Advance(Life / 5 - new TimeSpan(1));
        Assert.Equal((null, 3), (Get(), runs));
        _table.Put("b", "x");
        _time.Advance(Life - new TimeSpan(1));
        Assert.True(_table.ContainsKey("b"));
    }

    [Fact]
    public void A_put_begins_a_new_lifetime_or_keeps_the_one_that_is_there_as_chosen()
    {
        var first = new EntryOptions { MaxAge = Life, Sliding = Life / 4, FailSafeMaxAge = 5 * Life, Tags = ["tag"] };
        foreach (bool isKept in new[] { false, true })
        {
            _table.Configure(_table.Options with { DefaultMaxAge = 9 * Life, KeepsLifetime = isKept });
            _table.Put("a", "one", first);
            Assert.True(_table.TryGetEntry("a", out TableEntry<string> before));
            _time.Advance(Life / 8);
            _table.Put("a", "two");
            Assert.True(_table.TryGetEntry("a", out TableEntry<string> after));
            Assert.Equal("two", _table.Get("a"));
            if (isKept)
            {
                Assert.Equal((before.ExpiresAt, before.Sliding), (after.ExpiresAt, after.Sliding));
                Assert.True(after.Info.Version > before.Info.Version);
                _time.Advance(2 * Life);
                Assert.Equal("two", _table.GetOrAdd("a", (_, context) => context.Fail("it is stale"), first));
            }
            else
            {
                Assert.Equal((_time.GetUtcNow() + 9 * Life, null), (after.ExpiresAt, after.Sliding));
            }
            _table.Remove("a");
            _table.Put("a", "three");
            Assert.True(_table.TryGetEntry("a", out TableEntry<string> anew)); // a new key has the table's
            Assert.Equal(9 * Life, anew.Info.Lifetime);
            Assert.Equal(PutResult.Replaced, _table.Put("a", "four", new EntryOptions { MaxAge = Life, KeepsLifetime = !isKept }));
            Assert.True(_table.TryGetEntry("a", out anew));
            Assert.Equal(isKept ? Life : 9 * Life, anew.Info.Lifetime);
            _table.Remove("a");
        }
    }

    [Fact]
    public void A_put_with_a_condition_keeps_it_too()
    {
        _table.Put("a", "one", new EntryOptions { MaxAge = Life });
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> before));
        var keeps = new EntryOptions { KeepsLifetime = true };
        Assert.True(_table.Update("a", "two", before.Info.Version, out _, keeps));
        Assert.False(_table.Update("a", "three", before.Info.Version, out _, keeps));
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> after));
        Assert.Equal((before.ExpiresAt, "two"), (after.ExpiresAt, _table.Get("a")));
    }

    [Fact]
    public void An_entry_that_cannot_be_read_is_made_anew_and_counted()
    {
        var codec = new FickleCodec();
        int warnings = 0;
        var log = new CallingLogger((level, _) => warnings += level == LogLevel.Warning ? 1 : 0);
        using var cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20, Codec = codec, Logger = log }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
        CacheTable<int, Memo> table = cache.GetOrCreateTable<int, Memo>("t");
        for (int key = 0; key < 3; key++)
            table.Put(key, new Memo("old"));
        codec.IsBroken = true;
        Assert.Throws<JsonException>(() => table.Get(0));
        Assert.Equal("new", table.GetOrAdd(0, _ => new Memo("new")).Text);
        codec.IsBroken = false;
        Assert.Equal(("new", "old"), (table.Get(0).Text, table.Get(1).Text));
        codec.IsBroken = true;
        Assert.Equal(2, table.GetOrAddMany([1, 2], keys => keys.ToDictionary(static key => key, static _ => new Memo("new"))).Count);
        codec.IsBroken = false;
        Assert.Equal(("new", "new"), (table.Get(1).Text, table.Get(2).Text));
        Assert.Equal((3, 1), (table.Statistics.UnreadableEntries, warnings)); // reported once for each type
        CacheTable<int, string> texts = cache.GetOrCreateTable<int, string>("t");
        Assert.Throws<InvalidCastException>(() => texts.GetOrAdd(1, _ => "x")); // another type is an error
    }

    private sealed record Memo(string Text);

    private sealed class FickleCodec : IPileCodec
    {
        internal bool IsBroken { get; set; }

        public void Serialize(object value, PileBuffer destination) =>
            ((IBufferWriter<byte>)destination).Write(Encoding.UTF8.GetBytes(((Memo)value).Text));

        public object Deserialize(PileBuffer source) =>
            IsBroken ? throw new JsonException("no such form") : new Memo(Encoding.UTF8.GetString(source.WrittenSpan));
    }
}
