using System;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>What is left after the power was cut at any instant, whatever was done before.</summary>
public sealed class PowerCutTests(ITestOutputHelper output)
{
    // A failing seed is replayed by the leg that it failed in.
    private static readonly int Rounds = TestLeg.Steps(15, 40);

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    [Theory]
    [InlineData(nameof(CutOperations.None))]
    [InlineData(nameof(CutOperations.Replace))]
    [InlineData(nameof(CutOperations.Remove))]
    [InlineData("Replace, Remove")]
    [InlineData("Replace, Remove, Change")]
    [InlineData("Replace, Remove, Rebuild")]
    [InlineData("Replace, Remove, Clear")]
    [InlineData("Replace, Remove, Restart")]
    [InlineData("Replace, Remove, Kill")]
    [InlineData("Replace, Remove, OtherBoot")]
    [InlineData("Replace, Remove, PowerCut")]
    [InlineData("Replace, Remove, Refuse")]
    [InlineData("Replace, Remove, Kill, PowerCut, Clear, Rebuild")]
    public void What_was_synchronized_is_there_old_or_new(string operations) =>
        Run(Enum.Parse<CutOperations>(operations), null, runs: TestLeg.Steps(2, 30), seed: 100);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_was_synchronized_is_there_old_or_new_with_all_operations(BlockFileKind kind) =>
        Run(CutOperations.All, kind, runs: TestLeg.Steps(2, 100), seed: 1_000 + 100 * (int)kind);

    /// <summary>The controls: each thing that is done for a power cut is needed.</summary>
    [Theory]
    [InlineData("nothing-deferred", "Replace")]
    [InlineData("nothing-deferred", "Replace, Remove")]
    [InlineData("no-tombstones", "Remove")]
    [InlineData("no-marks", "Replace, Remove, Kill")]
    public void A_wrong_way_to_store_is_caught(string control, string operations)
    {
        using var planted = new MutationScope(control);
        var tally = new CutTally();
        int seed = TestLeg.Seed(1);
        for (int i = 0; tally.IsClean; i++)
        {
            Assert.True(i < 60, "nothing wrong was found in 60 runs");
            RunOnce(seed + i, Enum.Parse<CutOperations>(operations), null, tally);
        }
        output.WriteLine(tally.ToString());
    }

    private void Run(CutOperations operations, BlockFileKind? kind, int runs, int seed)
    {
        seed = TestLeg.Seed(seed);
        var tally = new CutTally();
        for (int i = 0; i < runs; i++)
            RunOnce(seed + i, operations, kind, tally);
        output.WriteLine($"seeds {seed} to {seed + runs - 1}: {tally}");
        Assert.True(tally.IsClean, tally.ToString());
        Assert.NotEqual(0, tally.LostSectors);
        Assert.NotEqual(0, tally.Checked);
    }

    private static void RunOnce(int seed, CutOperations operations, BlockFileKind? kind, CutTally tally)
    {
        using var run = new CutRun<HashDatabase>(seed, HashSubject.Make(seed, operations, tally, kind));
        run.Run(Rounds);
    }
}
