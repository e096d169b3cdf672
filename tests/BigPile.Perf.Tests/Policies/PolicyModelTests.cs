using System;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;
using Xunit.Abstractions;

namespace BigPile.Perf.Tests.Policies;

/// <summary>Policies beside naive models of them, in lock step.</summary>
public sealed class PolicyModelTests(ITestOutputHelper output)
{
    private const int Keys = 60;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 7)]
    [InlineData(3, 59)]
    public void Lru_is_what_a_list_is(int seed, int capacity)
    {
        Random random = Seeded(seed);
        Compare(new Lru(Keys, capacity, KeyWeights.Equal), NaivePolicies.Lru(capacity, static _ => 1), random);
    }

    [Theory]
    [InlineData(4, 50)]
    [InlineData(5, 300)]
    public void Lru_that_weighs_is_what_a_list_is(int seed, int capacity)
    {
        Random random = Seeded(seed);
        long[] weights = [.. Enumerable.Range(0, Keys).Select(_ => (long)random.Next(1, 60))];
        Compare(new Lru(Keys, capacity, new KeyWeights(weights)), NaivePolicies.Lru(capacity, key => weights[key]), random);
    }

    [Theory]
    [InlineData(6, 1)]
    [InlineData(7, 10)]
    [InlineData(8, 25)]
    [InlineData(9, 40)]
    public void S3_fifo_is_what_lists_are(int seed, int capacity)
    {
        Random random = Seeded(seed);
        Compare(new S3Fifo(Keys, capacity, KeyWeights.Equal), NaivePolicies.S3Fifo(capacity), random);
    }

    [Theory]
    [InlineData(10)]
    [InlineData(11)]
    public void Keys_of_the_same_weight_are_keys_that_are_counted(int seed)
    {
        Random random = Seeded(seed);
        long[] weights = [.. Enumerable.Repeat(3L, Keys)];
        var counting = new S3Fifo(Keys, 20, KeyWeights.Equal);
        Compare(new S3Fifo(Keys, 60, new KeyWeights(weights)), counting.Access, random);
    }

    [Fact]
    public void No_choice_of_victims_has_more_hits_than_the_optimum()
    {
        Random random = Seeded(12);
        int hits = 0;
        for (int round = 0; round < TestLeg.Steps(normal: 300, longLeg: 5000); round++)
        {
            int[] accesses = [.. Enumerable.Range(0, 18).Select(_ => random.Next(7))];
            int capacity = random.Next(1, 6);
            var policy = new Optimum(accesses, 7, capacity);
            int found = accesses.Count(policy.Access);
            policy.CheckInvariants();
            Assert.Equal(NaivePolicies.MostHits(accesses, capacity), found);
            hits += found;
        }
        Assert.NotEqual(0, hits);
    }

    [Fact]
    public void Nothing_is_ahead_of_the_optimum_and_each_has_the_same_hits_again()
    {
        Trace trace = SyntheticTrace.Make("synthetic:scan", seed: 3);
        trace = trace with { Accesses = trace.Accesses[..200_000] };
        long Hits(PolicyKind kind)
        {
            IPolicy policy = PolicyKinds.Make(kind, trace, 2000);
            long hits = trace.Accesses.LongCount(policy.Access);
            policy.CheckInvariants();
            return hits;
        }
        long most = Hits(PolicyKind.Optimum);
        foreach (PolicyKind kind in PolicyKinds.Rivals)
        {
            long hits = Hits(kind);
            Assert.Equal(hits, Hits(kind));
            Assert.InRange(hits, most / 2, most);
        }
    }

    private static void Compare(IPolicy policy, Func<int, bool> model, Random random)
    {
        int hits = 0;
        for (int i = 0; i < TestLeg.Steps(normal: 3000, longLeg: 100_000); i++)
        {
            int key = Skewed(random);
            bool isHit = model(key);
            Assert.True(isHit == policy.Access(key), $"Access {i}, to key {key}: the model says {isHit}.");
            policy.CheckInvariants();
            hits += isHit ? 1 : 0;
        }
        Assert.NotEqual(0, hits);
    }

    private static int Skewed(Random random) => (int)(Keys * Math.Pow(random.NextDouble(), 2));

    private Random Seeded(int normal)
    {
        int seed = TestLeg.Seed(normal);
        output.WriteLine($"BIGPILE_SEED={seed}");
        return new Random(seed);
    }
}
