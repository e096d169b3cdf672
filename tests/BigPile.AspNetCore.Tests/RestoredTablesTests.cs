using System;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Caching.Tests;

namespace BigPile.AspNetCore.Tests;

/// <summary>What clients said of tables, where the pile is served before its tables are ready.</summary>
public sealed class RestoredTablesTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Fact]
    public async Task What_clients_said_of_tables_holds_from_the_end_of_the_walk_on()
    {
        var before = new ServedTables(_cache, []);
        Assert.Null(before.Configure("limited", new TableOptions("limited") { MaxEntries = 5 }, null, out _));
        Assert.Null(before.Configure("dropped", new TableOptions("dropped"), null, out _));
        CacheTable<string, byte[]> settings = _cache.GetOrCreateTable<string, byte[]>("bigpile:tables");
        settings.Put("dropped", JsonSerializer.SerializeToUtf8Bytes(new KeptSettings { IsDropped = true }, TableJson.Default.KeptSettings));
        CacheTable<string, byte[]> limited = _cache.GetOrCreateTable<string, byte[]>("limited");
        limited.Configure(new TableOptions("limited"));

        settings.BeginRebuild(); // as after a kill, before the walk is over
        var served = new ServedTables(_cache, []);
        Assert.Null(limited.Options.MaxEntries);
        await served.RestoreAfterAsync(Task.FromException(new InvalidOperationException("The walk failed.")));
        Assert.Null(limited.Options.MaxEntries);
        settings.EndRebuild();
        await served.RestoreAfterAsync(Task.CompletedTask);
        Assert.Equal(5, limited.Options.MaxEntries);
        Assert.Equal(["limited"], _cache.TableNames);
        Assert.Equal(["limited"], settings.Keys);
    }

    [Fact]
    public async Task A_table_that_was_used_before_it_was_known_to_be_dropped_stays()
    {
        var before = new ServedTables(_cache, []);
        Assert.Null(before.Configure("dropped", new TableOptions("dropped"), null, out _));
        CacheTable<string, byte[]> settings = _cache.GetOrCreateTable<string, byte[]>("bigpile:tables");
        settings.Put("dropped", JsonSerializer.SerializeToUtf8Bytes(new KeptSettings { IsDropped = true }, TableJson.Default.KeptSettings));

        settings.BeginRebuild(); // as after a kill, before the walk is over
        var served = new ServedTables(_cache, []);
        Assert.Null(served.OpenToPut("dropped", out CacheTable<string, byte[]> table));
        table.Put("a", [1]);
        settings.EndRebuild();
        await served.RestoreAfterAsync(Task.CompletedTask);
        Assert.Equal([1], table.Get("a"));
        Assert.Empty(settings.Keys);
    }
}
