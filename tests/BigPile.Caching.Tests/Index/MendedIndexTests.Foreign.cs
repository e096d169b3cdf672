using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests.Index;

/// <summary>Indexes that are not those of the entries.</summary>
public sealed partial class MendedIndexTests
{
    [Fact]
    public void Indexes_that_others_were_used_instead_of_do_not_count_any_more()
    {
        string others = Path.Combine(DirectoryPath, "others");
        using (PileCache cache = Open(PilePath))
            Fill(cache);
        using (PileCache cache = Open(PilePath, indexes: others))
        {
            Assert.False(cache.Readiness.WasRestored);
            Assert.True(TableOf(cache).Remove(1)); // a removal needs no version
        }
        using (PileCache cache = Open(PilePath))
        {
            Assert.False(cache.Readiness.WasRestored);
            Assert.Equal(Keys - 1, TableOf(cache).Count);
        }
        using (PileCache cache = Open(PilePath, indexes: others))
            Assert.False(cache.Readiness.WasRestored);
        using (PileCache cache = Open(PilePath, indexes: others))
            Assert.True(cache.Readiness.WasRestored);
    }

    [Fact]
    public void Indexes_of_a_killed_process_that_others_were_used_instead_of_do_not_count_any_more()
    {
        string killed = Kill(Fill);
        string others = Path.Combine(DirectoryPath, "others");
        using (PileCache cache = Open(killed, indexes: others))
        {
            Assert.False(cache.Readiness.WasRestored);
            Assert.True(TableOf(cache).Remove(1));
        }
        using PileCache again = Open(killed);
        Assert.False(again.Readiness.WasRestored);
        Assert.Equal(Keys - 1, TableOf(again).Count);
    }

    /// <summary>One of the two is of an earlier time: what happened between may be a removal, which has no version.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public void A_pile_and_indexes_that_were_restored_without_each_other_do_not_go_together(bool isPileOld, bool wasKilled)
    {
        string indexes = Path.Combine(DirectoryPath, "indexes");
        string[] olds = [PilePath + "-old", indexes + "-old"];
        using (PileCache cache = Open(PilePath, indexes: indexes))
            Fill(cache);
        KilledPile.Copy(PilePath, olds[0]);
        CopyOwn(indexes, olds[1]);
        using (PileCache cache = Open(PilePath, indexes: indexes))
        {
            for (long key = 0; key < Keys; key += 2)
                Assert.True(TableOf(cache).Remove(key));
            if (wasKilled)
                CopyOwn(indexes, indexes + "-killed");
        }
        string pile = isPileOld ? olds[0] : PilePath;
        string used = !isPileOld ? olds[1] : wasKilled ? indexes + "-killed" : indexes;
        using PileCache restored = Open(pile, indexes: used);
        Assert.False(restored.Readiness.WasRestored);
        Assert.Equal(isPileOld ? Keys : Keys / 2, TableOf(restored).Keys.Count());
        Assert.Equal(isPileOld ? Keys : Keys / 2, TableOf(restored).Count);
    }
}
