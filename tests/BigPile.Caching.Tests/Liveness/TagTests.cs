using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using BigPile.Caching.Keys;
using BigPile.Caching.Tags;
using BigPile.Reporting;

namespace BigPile.Caching.Tests.Liveness;

public sealed class TagTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();
    private readonly CacheTable<long, string> _table;

    public TagTests() => _table = _cache.GetOrCreateTable<long, string>("t");

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Removing_a_tag_removes_what_was_put_with_it_before_and_nothing_else()
    {
        _table.Put(1, "plain");
        _table.Put(2, "foo", new EntryOptions { Tags = ["foo"] });
        _table.Put(3, "bar", new EntryOptions { Tags = ["bar"] });
        _table.Put(4, "both", new EntryOptions { Tags = ["foo", "bar"] });
        _table.RemoveByTag("unknown");
        Assert.Equal([1, 2, 3, 4], _table.Keys.Order());
        _table.RemoveByTag("foo");
        _table.RemoveByTag("foo");
        Assert.Equal([1, 3], _table.Keys.Order());
        Assert.False(_table.TryGet(4, out _));
        Assert.Equal(PutResult.Inserted, _table.Put(2, "again", new EntryOptions { Tags = ["foo"] }));
        Assert.Equal("again", _table.Get(2));
        Assert.Throws<ArgumentException>(() => _table.RemoveByTag(""));
    }

    [Fact]
    public void Tags_that_were_removed_once_take_no_memory_once_a_sweep_has_gone_round()
    {
        _table.Put(1, "one", new EntryOptions { Tags = ["old"] });
        for (int i = 0; i < 20_000; i++)
            _table.RemoveByTag($"tag {i}");
        Assert.Equal(20_000, _table.Core.Tags.Count);
        _table.Sweep();
        _table.Sweep();
        Assert.Equal((0, "one"), (_table.Core.Tags.Count, _table.Get(1)));
        Assert.InRange(_table.Core.Tags.CapacityLocked, 0, 1000);
        _table.RemoveByTag("old");
        Assert.False(_table.TryGet(1, out _));
    }

    [Fact]
    public void The_memory_of_removed_tags_and_their_marks_come_back_with_two_sweeps()
    {
        for (long key = 0; key < 1000; key++)
            _table.Put(key, "value", new EntryOptions { Tags = [$"tag{key % 10}"] });
        for (int tag = 0; tag < 5; tag++)
            _table.RemoveByTag($"tag{tag}");
        Assert.Equal(5, _table.Core.Tags.Count);
        _table.Sweep();
        _table.Sweep();
        Assert.Equal((500, 500, 500), (_table.Count, _cache.Pile.Statistics.ObjectCount, _table.Statistics.Removals));
        Assert.Equal(0, _table.Core.Tags.Count);
        Assert.False(_table.TryGet(0, out _));
    }

    [Fact]
    public void Clear_removes_everything_and_gives_the_memory_back()
    {
        for (long key = 0; key < 5000; key++)
            _table.Put(key, "value", key % 2 == 0 ? null : new EntryOptions { Tags = ["odd"], Priority = EntryPriority.NeverEvict });
        _table.Clear();
        Assert.Equal((0, 0), (_table.Count, _cache.Pile.Statistics.ObjectCount));
        Assert.Empty(_table.Keys);
        Assert.Equal(PutResult.Inserted, _table.Put(1, "x"));
        Assert.Equal("x", _table.Get(1));
    }

    [Fact]
    public void Clear_counts_the_buckets_while_entries_go_and_the_table_grows()
    {
        for (long key = 0; key < 50_000; key++)
            _table.Put(key, "value");
        long buckets = _table.Core.BucketCount;
        var reports = new Reports(() =>
        {
            long count = _table.Count;
            for (long key = 100_000; key < 100_500; key++)
                _table.Put(key + _table.Count, "late");
            return count;
        });
        _table.Clear(reports);
        Assert.True(_table.Core.BucketCount > buckets, "the table did not grow meanwhile");
        Assert.All(reports.All, report => Assert.Equal(buckets, report.Progress.Total));
        Assert.InRange(reports.All.Count, 10, ProgressGauge.MaxSteps + 2);
        Assert.Equal((0, 50_000), (reports.All[0].Progress.Done, reports.All[0].Count));
        Assert.Equal(reports.All.Select(
            static report => report.Progress.Done).Order().Distinct(), reports.All.Select(static report => report.Progress.Done));
        Assert.Equal((1.0, 1), (reports.All[^1].Progress.Fraction, reports.All.Count(static report => report.Progress.Fraction == 1)));
        Assert.DoesNotContain(_table.Keys, static key => key < 50_000);
    }

    private sealed class Reports(Func<long> measure) : IProgress<PileProgress>
    {
        public List<(PileProgress Progress, long Count)> All { get; } = [];

        public void Report(PileProgress value) => All.Add((value, measure()));
    }

    [Fact]
    public void Tags_over_the_limit_or_without_a_name_are_refused()
    {
        var error = Assert.Throws<ArgumentException>(
            () => _table.Put(1, "x", new EntryOptions { Tags = [.. Enumerable.Range(0, 65).Select(i => $"{i}")] }));
        Assert.Contains("65 tags; 64 are allowed", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => _table.Put(1, "x", new EntryOptions { Tags = [""] }));
        Assert.Throws<ArgumentNullException>(() => _table.Put(1, "x", new EntryOptions { Tags = [null!] }));
        _table.Put(1, "x", new EntryOptions { Tags = [.. Enumerable.Range(0, 64).Select(i => $"{i}")] });
        _table.RemoveByTag("63");
        Assert.False(_table.ContainsKey(1));
    }

    [Fact]
    public void A_tag_has_the_same_hash_in_every_pile()
    {
        // The beginning of the first of the examples in FIPS 180.
        Assert.Equal(BitConverter.ToUInt64(Convert.FromHexString("ba7816bf8f01cfea")), TagHash.Of("abc"));
        string[] tags = [.. Enumerable.Range(0, 5_000).Select(static number => $"tag{number}"), new string('x', 1_000)];
        ulong[] hashes = [.. tags.Select(TagHash.Of)];
        Assert.Equal(hashes, tags.Select(TagHash.Of)); // now some of them are remembered
        Assert.Equal(hashes.Length, hashes.Distinct().Count());
    }

    [Fact]
    public void Removing_a_tag_of_a_table_that_was_found_takes_what_earlier_versions_put_as_well()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            var seeded = new KeyHash(BitConverter.ToUInt64(cache.Pile.Engine.Id.ToByteArray()));
            foreach (string tag in new[] { "foo", "bar" })
            {
                var attributes = new EntryAttributes { TagHashes = new[] { seeded.Of(Encoding.UTF8.GetBytes(tag)) } };
                table.ByUtf8().PutBytes(Encoding.UTF8.GetBytes("old " + tag), "x"u8, attributes, out _);
                table.Put("new " + tag, "x", new EntryOptions { Tags = [tag] });
            }
        }
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            table.RemoveByTag("foo");
            Assert.Equal(["new bar", "old bar"], table.Keys.Order(StringComparer.Ordinal));
        }
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            Assert.Equal(["new bar", "old bar"], table.Keys.Order(StringComparer.Ordinal));
            table.RemoveByTag("bar");
            Assert.Empty(table.Keys);
            cache.Readiness.Inspection.Wait(); // marks stay until then
            table.Sweep();
            table.Sweep();
            Assert.Equal((0, 0), (table.Core.Tags.Count, cache.Pile.Statistics.ObjectCount));
        }
    }

    [Theory]
    [InlineData(21)]
    [InlineData(22)]
    public void A_random_run_with_tags_agrees_with_a_model(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        var model = new Dictionary<long, (string Value, string[] Tags)>();
        for (int step = 0; step < TestLeg.Steps(20_000, 1_000_000); step++)
        {
            if (step % 100 == 0)
                _table.Core.CheckInvariantsAt($"seed {seed}, step {step}");
            long key = random.Next(200);
            switch (random.Next(20))
            {
                case < 10:
                    string[] tags = [.. Enumerable.Range(0, random.Next(4)).Select(_ => $"tag{random.Next(30)}")];
                    _table.Put(key, $"v{step}", new EntryOptions { Tags = tags });
                    model[key] = ($"v{step}", tags);
                    break;
                case < 18:
                    bool isThere = model.TryGetValue(key, out var entry);
                    Assert.True(_table.TryGet(key, out string? value) == isThere
                        && (!isThere || value == entry.Value), $"seed {seed}, step {step}");
                    break;
                case 18:
                    string tag = $"tag{random.Next(30)}";
                    _table.RemoveByTag(tag);
                    foreach (long gone in model.Where(pair => pair.Value.Tags.Contains(tag)).Select(pair => pair.Key).ToArray())
                        model.Remove(gone);
                    break;
                default:
                    if (random.Next(100) == 0)
                    {
                        _table.Clear();
                        model.Clear();
                    }
                    _table.Sweep();
                    break;
            }
        }
        Assert.Equal(model.Keys.Order(), _table.Keys.Order());
    }
}
