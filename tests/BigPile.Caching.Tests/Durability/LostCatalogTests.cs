using System;
using System.IO;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// A pile that lost definitions of tables is refused: a new table would take the id of a lost one, and its entries with it.
/// </summary>
public sealed class LostCatalogTests : StoppedCacheTest
{
    [Theory]
    [InlineData(0, true)]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(1, false)]
    public void Tables_that_were_flushed_are_not_lost_unseen(int tables, bool isKilled)
    {
        long keptBytes = 0;
        void Work(PileCache cache)
        {
            string catalogPath = Path.Combine(cache.Pile.DirectoryPath!, "catalog");
            for (int i = 0; i < 2; i++)
            {
                if (i == tables)
                    keptBytes = new FileInfo(catalogPath).Length;
                cache.GetOrCreateTable<long, string>("t" + i).Put(i, "value " + i);
                cache.Pile.Flush();
            }
        }
        string path = isKilled ? Kill(Work) : Stop(Work);
        string catalog = Path.Combine(path, "catalog");
        byte[] whole = File.ReadAllBytes(catalog);
        File.WriteAllBytes(catalog, whole[..(int)keptBytes]);
        string message = Assert.Throws<PileStorageException>(() => TestCache.Open(path, Time).Dispose()).Message;
        Assert.Contains(catalog, message, StringComparison.Ordinal);
        File.WriteAllBytes(catalog, whole);
        using PileCache cache = TestCache.Open(path, Time);
        Assert.Equal(["t0", "t1"], cache.TableNames);
        Assert.Equal("value 1", cache.GetOrCreateTable<long, string>("t1").Get(1));
    }
}
