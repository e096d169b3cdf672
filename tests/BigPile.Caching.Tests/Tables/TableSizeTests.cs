using System;
using System.IO;
using System.Linq;
using BigPile.Catalog;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Tables;

/// <summary>What a table costs that holds next to nothing, and what is left of one that was dropped.</summary>
public sealed class TableSizeTests(ITestOutputHelper output)
{
    private const long MaxSmallTableBytes = 10_500; // with the options, of which there are some copies

    [Theory]
    [InlineData(1)]
    [InlineData(40)]
    public void A_table_with_few_entries_is_small(int entries)
    {
        const int Tables = 200;
        using PileCache cache = TestCache.Make();
        string[] keys = [.. Enumerable.Range(0, entries).Select(i => "k" + i)]; // not of the table
        Fill(cache, "first", keys); // what is made once for all of them
        long before = GC.GetAllocatedBytesForCurrentThread();
        long unmanagedBytes = 0;
        for (int i = 0; i < Tables; i++)
            unmanagedBytes += Fill(cache, $"t{i}", keys).Statistics.IndexBytes;
        long managedBytes = GC.GetAllocatedBytesForCurrentThread() - before;
        output.WriteLine(
            $"a table: {unmanagedBytes / Tables:N0} bytes of index, {managedBytes / Tables:N0} bytes of objects, garbage included");
        Assert.InRange((unmanagedBytes + managedBytes) / Tables, 1, MaxSmallTableBytes);
    }

    [Fact]
    public void A_table_of_a_mapped_pile_takes_the_disk_and_the_mappings_that_the_README_says()
    {
        const int Tables = 10;
        using var directory = new TemporaryDirectory();
        using PileCache cache = TestCache.Open(directory.Path);
        for (int i = 0; i < Tables; i++)
            Fill(cache, $"t{i}", ["k"]);
        string[] files = [.. Directory.GetFiles(directory.Path, "index-*"), .. Directory.GetFiles(directory.Path, "buckets-*")];
        Assert.Equal(2 * Tables, files.Length);
        Assert.Equal(68 << 10, files.Sum(static file => new FileInfo(file).Length) / Tables);
        if (!OperatingSystem.IsLinux())
            return;
        int mappings = File.ReadLines("/proc/self/maps").Count(line => files.Any(file => line.EndsWith(file, StringComparison.Ordinal)));
        Assert.Equal(2 * Tables, mappings);
    }

    [Fact]
    public void A_table_that_is_refused_leaves_no_trace()
    {
        using PileCache cache = TestCache.Make();
        for (int i = cache.Pile.Engine.Catalog.Count(CatalogKind.Table); i < Entries.EntryHead.MaxTableId; i++)
            _ = cache.Pile.Engine.Catalog.GetOrAdd(CatalogKind.Table, Persistence.TableDefinition.Encode($"n{i}", default));
        for (int i = 0; i < 3; i++)
        {
            PileException refused = Assert.Throws<PileException>(() => cache.GetOrCreateTable<string, string>($"refused{i}"));
            Assert.Contains("65,535", refused.Message, StringComparison.Ordinal);
        }
        Assert.Equal(Entries.EntryHead.MaxTableId, cache.Pile.Engine.Catalog.Count(CatalogKind.Table));
        Assert.Empty(cache.TableNames);
    }

    private static CacheTable<string, string> Fill(PileCache cache, string name, string[] keys)
    {
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(name);
        foreach (string key in keys)
            table.Put(key, "v");
        Assert.True(table.TryGet(keys[0], out _));
        return table;
    }
}
