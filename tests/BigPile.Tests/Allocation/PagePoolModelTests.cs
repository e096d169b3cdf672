using Xunit.Abstractions;

namespace BigPile.Tests.Allocation;

/// <summary>A pool of pages against lists of what each page is used for.</summary>
public sealed class PagePoolModelTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0u, 0)]
    [InlineData(0u, 4)]
    [InlineData(PilePointer.MaxGeneration - 4, 0)] // pages wear out
    public void A_pool_gives_out_the_pages_that_a_list_says(uint generationBase, int failsOneOf)
    {
        int trimmed = 0;
        int cut = 0;
        int exhausted = 0;
        int failures = 0;
        long released = 0;
        for (int run = 0; run < TestLeg.Steps(6, 1_500); run++)
        {
            int seed = TestLeg.Seed(900) + run;
            output.WriteLine($"seed {seed}");
            using var model = new PagePoolModel(seed, generationBase, failsOneOf);
            for (int step = 0; step < 400; step++)
                model.Step();
            trimmed += model.Trimmed;
            cut += model.Cut;
            exhausted += model.Exhausted;
            failures += model.Failures;
            released += model.Released;
        }
        output.WriteLine($"trimmed {trimmed}, runs cut {cut}, worn {exhausted}, failures {failures}, runs released {released}");
        Assert.True(cut != 0 && released != 0);
        Assert.Equal(generationBase == 0, trimmed != 0);
        Assert.Equal(generationBase != 0, exhausted != 0);
        Assert.Equal(failsOneOf != 0, failures != 0);
    }
}
