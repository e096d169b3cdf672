using System;
using BigPile.Tests.Durability.PowerCuts;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>What is left after the power was cut at any instant, whatever was done before.</summary>
public sealed class PowerCutTests(ITestOutputHelper output)
{
    // A failing seed is replayed by the leg that it failed in.
    private static readonly int Rounds = TestLeg.Steps(7, 40);

    [Theory]
    [InlineData(nameof(PileOperations.None))]
    [InlineData(nameof(PileOperations.Replace))]
    [InlineData(nameof(PileOperations.Resize))]
    [InlineData("Resize, Compact")]
    [InlineData("Resize, DeleteMany, Trim")]
    [InlineData(nameof(PileOperations.Write))]
    [InlineData("Resize, Write, Lease")]
    [InlineData(nameof(PileOperations.Timer))]
    [InlineData(nameof(PileOperations.DuringCheckpoint))]
    [InlineData(nameof(PileOperations.Restart))]
    [InlineData("Resize, Kill")]
    [InlineData("Resize, OtherBoot")]
    [InlineData("Resize, PowerCut")]
    [InlineData("Resize, Refuse")]
    [InlineData("Resize, Kill, PowerCut, UnknownBoot")]
    [InlineData("Resize, Compact, Kill, Restart, FullDisk")]
    public void What_was_flushed_is_there_old_or_new(string operations) =>
        Run(Enum.Parse<PileOperations>(operations), runs: TestLeg.Steps(1, 4), seed: 100);

    [Fact]
    public void What_was_flushed_is_there_old_or_new_with_all_operations() =>
        Run(PileOperations.All, runs: TestLeg.Steps(3, 70), seed: 1_000);

    /// <summary>The control: what finds torn payloads is the checksum.</summary>
    [Fact]
    public void Without_checksums_torn_payloads_are_served()
    {
        var tally = new CutTally();
        for (int seed = 1; tally.CountOf("wrong") == 0; seed++)
        {
            Assert.True(seed < 20, "no torn payload was served in 20 runs without checksums");
            using var run = new CutRun<Pile>(seed, PileSubject.Make(seed, PileOperations.Replace, tally, PileChecksums.Off));
            run.Run(Rounds);
        }
    }

    private void Run(PileOperations operations, int runs, int seed)
    {
        seed = TestLeg.Seed(seed);
        var tally = new CutTally();
        for (int i = 0; i < runs; i++)
        {
            using var run = new CutRun<Pile>(seed + i, PileSubject.Make(seed + i, operations, tally));
            run.Run(Rounds);
        }
        output.WriteLine($"seeds {seed} to {seed + runs - 1}: {tally}");
        Assert.True(tally.IsClean, tally.ToString());
        Assert.NotEqual(0, tally.LostSectors);
        Assert.NotEqual(0, tally.Checked);
        Assert.Equal(operations.HasFlag(PileOperations.FullDisk), tally.OutOfSpace != 0);
    }
}
