using System;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;
using Xunit.Abstractions;

namespace BigPile.Perf.Tests.Policies;

/// <summary>The table's policy without the table.</summary>
public sealed class OwnPolicyTests(ITestOutputHelper output)
{
    private const double Tolerance = 1.0; // points; other hashes give other ghosts and estimates

    [Theory]
    [InlineData("synthetic:zipf", 0.02)]
    [InlineData("synthetic:scan", 0.1)]
    [InlineData("synthetic:loop", 0.5)]
    public void It_has_the_hits_of_the_table(string name, double fraction)
    {
        Trace trace = SyntheticTrace.Make(name, seed: 1);
        trace = trace with { Accesses = trace.Accesses[..300_000] };
        PolicyFigures figures = PolicyTable.Measure(trace, fraction, [PolicyKind.Own]);
        double own = figures.Policies[PolicyKind.Own].HitPercent;
        output.WriteLine($"{own} and {figures.Table.Hits.HitPercent}");
        Assert.InRange(own, figures.Table.Hits.HitPercent - Tolerance, figures.Table.Hits.HitPercent + Tolerance);
    }

    [Theory]
    [InlineData(1, 50)]
    [InlineData(2, 700)]
    public void Its_invariants_hold_after_every_access(int seed, long capacity)
    {
        seed = TestLeg.Seed(seed);
        output.WriteLine($"BIGPILE_SEED={seed}");
        var random = new Random(seed);
        long[] weights = [.. Enumerable.Range(0, 200).Select(_ => (long)random.Next(1, 60))];
        using var policy = new OwnPolicy(weights.Length, capacity, new KeyWeights(weights));
        int hits = 0;
        for (int i = 0; i < TestLeg.Steps(normal: 3000, longLeg: 100_000); i++)
        {
            hits += policy.Access((int)(weights.Length * Math.Pow(random.NextDouble(), 3))) ? 1 : 0;
            policy.CheckInvariants();
        }
        Assert.NotEqual(0, hits);
    }
}
