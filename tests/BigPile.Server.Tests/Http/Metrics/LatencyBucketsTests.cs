using System;
using BigPile.Http.Metrics;

namespace BigPile.Server.Tests.Http.Metrics;

public sealed class LatencyBucketsTests
{
    [Theory]
    [InlineData(4)] // the service's
    [InlineData(5)] // the load console's
    public void A_time_is_counted_in_the_first_bucket_that_ends_behind_it(int stepBits)
    {
        var random = new Random(TestLeg.Seed(3));
        for (int i = 0; i < 20_000; i++)
        {
            long time = i < 2_000 ? i : random.NextInt64() >> random.Next(63);
            int bucket = LatencyBuckets.IndexOf(time, stepBits);
            Assert.True(LatencyBuckets.UpperEndOf(bucket, stepBits) >= time, $"Bucket {bucket} ends before {time}.");
            Assert.True(bucket == 0 || LatencyBuckets.UpperEndOf(bucket - 1, stepBits) < time, $"The bucket before {bucket} has {time}.");
        }
    }
}
