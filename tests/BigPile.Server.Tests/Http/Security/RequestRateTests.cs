using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Tests;
using BigPile.Http.Security;

namespace BigPile.Server.Tests.Http.Security;

public sealed class RequestRateTests
{
    [Fact]
    public void A_burst_passes_and_then_the_rate()
    {
        var time = new ManualTime();
        var rate = new RequestRate(requestsPerSecond: 10, burst: 5, time);
        Assert.Equal(5, Enumerable.Range(0, 20).Count(_ => rate.TryTake(out TimeSpan _)));
        Assert.False(rate.TryTake(out TimeSpan wait));
        Assert.Equal(TimeSpan.FromMilliseconds(100), wait);

        time.Advance(TimeSpan.FromMilliseconds(250));
        Assert.Equal(2, Enumerable.Range(0, 20).Count(_ => rate.TryTake(out TimeSpan _)));
        Assert.False(rate.TryTake(out wait));
        Assert.Equal(TimeSpan.FromMilliseconds(50), wait);

        time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(5, Enumerable.Range(0, 20).Count(_ => rate.TryTake(out TimeSpan _)));
    }

    [Fact]
    public async Task Threads_together_get_the_burst_and_no_more()
    {
        var rate = new RequestRate(requestsPerSecond: 1, burst: 10_000, new ManualTime());
        int[] taken = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => SideBySide.Start(() =>
            Enumerable.Range(0, 5_000).Count(_ => rate.TryTake(out TimeSpan _)))));
        Assert.Equal(10_000, taken.Sum());
    }
}
