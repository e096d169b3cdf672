namespace BigPile.Caching.Tests.Durability;

/// <summary>A kill while a factory runs: its run is in process memory alone.</summary>
public sealed class KilledFactoryTests : KeptFilesTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_kill_within_a_factory_leaves_the_table_as_it_was(bool wasRemoved)
    {
        long key = wasRemoved ? 17 : Keys;
        long left = wasRemoved ? Keys - 1 : Keys;
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, byte[]> table = Fill(cache);
            Assert.Equal(wasRemoved, table.Remove(key));
            byte[] made = table.GetOrAdd(key, _ =>
            {
                KilledPile.Copy(At("live"), At("pile"));
                return [1];
            });
            Assert.Equal([1], made);
        }
        using PileCache again = Open("pile", Boot);
        Assert.True(again.Readiness.Inspection.Wait(Eventually.Timeout));
        CacheTable<long, byte[]> found = TableOf(again);
        Assert.False(found.ContainsKey(key));
        Assert.Equal((left, left), (found.Count, BlocksOf(again)));
        Assert.Equal([2], found.GetOrAdd(key, static _ => [2])); // no run of the other process keeps the key
        found.Core.CheckInvariantsAt("the end");
    }
}
