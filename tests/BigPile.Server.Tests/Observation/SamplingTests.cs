using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Hosting;

namespace BigPile.Server.Tests.Observation;

public sealed class SamplingTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 10_000)]
    [InlineData(100, 100)]
    [InlineData(3_000, 4)]
    public async Task One_in_so_many_is_taken_over_all_threads(int oneIn, int expected)
    {
        var sampler = new ReadSampler(oneIn);
        Assert.Equal(oneIn != 0, sampler.IsOn);
        int[] taken = await Task.WhenAll(Enumerable.Range(0, 4).Select(
            _ => SideBySide.Start(() => Enumerable.Range(0, 2_500).Count(_ => sampler.Take()))));
        Assert.Equal(expected, taken.Sum());
    }
}
