using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Http.Bulk;

namespace BigPile.Server.Tests.Http.Bulk;

/// <summary>Pages of keys: the cost of a page does not depend on the client's cursor.</summary>
public sealed class KeyPageTests : IDisposable
{
    private const int Keys = 40_000;

    private readonly PileCache _cache = new(
        new Pile(new PileOptions { SegmentBytes = 64 << 20 }),
        new PileCacheOptions { OwnsPile = true, DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable } });

    private readonly CacheTable<string, byte[]> _table;

    public KeyPageTests()
    {
        _table = _cache.GetOrCreateTable<string, byte[]>("t");
        for (int i = 0; i < Keys; i++)
            _table.Put($"key {i}", [1]);
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void A_walk_from_any_place_looks_at_a_bounded_part_and_ends()
    {
        int seed = Environment.TickCount;
        var random = new Random(seed);
        for (int i = 0; i < 200; i++)
        {
            var cursor = new KeyCursor((ulong)random.NextInt64((long)CacheTable.EndOfWalk), (ulong)random.NextInt64());
            KeyPage page = KeyPage.Read(_table, cursor, "none"u8, 1, default);
            Assert.Empty(page.Keys);
            if (page.Next is { } next)
                Assert.True(
                    next.Position > cursor.Position && CountBuckets(cursor.Position, next.Position) == 8192, $"seed {seed}, walk {i}");
        }
    }

    [Fact]
    public void Pages_of_any_size_give_each_key_once_while_the_table_grows()
    {
        int seed = Environment.TickCount;
        var random = new Random(seed);
        var keys = new List<string>();
        int added = 0;
        for (KeyCursor? cursor = default(KeyCursor); cursor != null;)
        {
            KeyPage page = KeyPage.Read(_table, cursor.Value, default, random.Next(1, 2000), default);
            keys.AddRange(page.Keys.Select(static key => System.Text.Encoding.UTF8.GetString(key.Span)));
            cursor = page.Next;
            for (int i = 0; i < 1000 && added < Keys; i++)
                _table.Put($"added {added++}", [1]);
        }
        Assert.True(keys.Count == keys.Distinct().Count(), $"seed {seed}");
        Assert.True(keys.Count(static key => key.StartsWith("key ", StringComparison.Ordinal)) == Keys, $"seed {seed}");
    }

    [Fact]
    public void A_page_that_nobody_waits_for_is_left()
    {
        using var gone = new CancellationTokenSource();
        gone.Cancel();
        Assert.Throws<OperationCanceledException>(() => KeyPage.Read(_table, default, default, 10, gone.Token));
    }

    [Fact]
    public void A_cursor_of_another_form_or_place_is_refused()
    {
        Assert.True(KeyCursor.TryParse(new KeyCursor(CacheTable.EndOfWalk - 1, 7).Format(5), 5, out KeyCursor cursor));
        Assert.Equal(new KeyCursor(CacheTable.EndOfWalk - 1, 7), cursor);
        Assert.False(KeyCursor.TryParse(new KeyCursor(CacheTable.EndOfWalk, 0).Format(5), 5, out _));
        Assert.False(KeyCursor.TryParse(new KeyCursor(0, 0).Format(5), 6, out _));
        string withParts = Convert.ToBase64String(new byte[28]).TrimEnd('='); // as it once was
        Assert.False(KeyCursor.TryParse(withParts, 0, out _));
    }

    private int CountBuckets(ulong from, ulong to)
    {
        int count = 0;
        for (ulong position = from; position < to; count++)
            position = _table.Walk(position, []);
        return count;
    }
}
