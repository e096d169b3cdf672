using Xunit.Abstractions;

namespace BigPile.Tests.Allocation;

/// <summary>Two heaps that take pages from one pool, and from each other, against a dictionary of what was taken.</summary>
public sealed class HeapModelTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0u, true)]
    [InlineData(0u, false)]
    [InlineData(PilePointer.MaxGeneration - 12, true)] // slots wear out
    public void Heaps_hold_what_a_dictionary_says(uint generationBase, bool tracksFlushed)
    {
        var total = default(HeapTally);
        for (int run = 0; run < TestLeg.Steps(4, 1_000); run++)
        {
            int seed = TestLeg.Seed(800) + run;
            output.WriteLine($"seed {seed}");
            using var model = new HeapModel(seed, generationBase, tracksFlushed);
            for (int step = 0; step < 500; step++)
                model.Step();
            model.FreeAll();
            total += model.Done;
        }
        output.WriteLine(total.ToString());
        Assert.True(total is { Taken: > 0, Freed: > 0, Transferred: > 0, FreedInTransit: > 0, GivenUp: > 0 });
        Assert.Equal(tracksFlushed, total.Released > 0);
        Assert.Equal(generationBase != 0, total.Exhausted > 0);
    }
}
