namespace BigPile.Tests.Durability;

/// <summary>What a pile that was opened says of what it holds, before and beside everybody who has counted it.</summary>
public sealed class CountsAfterOpeningTests : DurabilityTest
{
    private const int Objects = 5_000;

    [Fact]
    public void Objects_of_a_reopened_pile_are_not_counted_before_all_its_pages_are_examined()
    {
        PilePointer grown;
        using (Pile pile = Open())
        {
            grown = pile.Put(new byte[100]);
            for (int i = 1; i < Objects; i++)
                pile.Put(new byte[i % 900]);
            pile.Replace(grown, new byte[5_000]);
            Assert.Equal((Objects, 1), (pile.Statistics.ObjectCount, pile.Statistics.LinkCount));
        }
        using Pile again = Open(static options => options with { Warmup = PileWarmup.Off });
        Assert.Equal(5_000, again.GetBytes(grown).Length);
        PileStatistics first = again.Statistics;
        Assert.Null((object?)first.ObjectCount);
        Assert.Null((object?)first.LinkCount);
        again.Recovery.Resume();
        again.Recovery.Completion.Wait();
        Assert.Equal((Objects, 1), (again.Statistics.ObjectCount, again.Statistics.LinkCount));
    }
}
