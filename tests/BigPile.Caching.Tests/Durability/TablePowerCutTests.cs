using System;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What is left of tables after the power was cut at any instant, whatever was done before.</summary>
public sealed class TablePowerCutTests(ITestOutputHelper output)
{
    // A failing seed is replayed by the leg that it failed in.
    private static readonly int Rounds = TestLeg.Steps(6, 40);

    [Theory]
    [InlineData(nameof(TableOperations.None))]
    [InlineData(nameof(TableOperations.Replace))]
    [InlineData(nameof(TableOperations.Remove))]
    [InlineData(nameof(TableOperations.Sliding))]
    [InlineData(nameof(TableOperations.Expire))]
    [InlineData(nameof(TableOperations.Evict))]
    [InlineData(nameof(TableOperations.RemoveByTag))]
    [InlineData(nameof(TableOperations.Clear))]
    [InlineData(nameof(TableOperations.Drop))]
    [InlineData("Drop, Pointer")]
    [InlineData("Drop, Create, RemoveByTag, PowerCut, OtherBoot")]
    [InlineData(nameof(TableOperations.Pointer))]
    [InlineData("Replace, Remove, Pointer")]
    [InlineData(nameof(TableOperations.Create))]
    [InlineData("Remove, Compact, Trim")]
    [InlineData("Remove, Restart")]
    [InlineData("Remove, Kill, WhileRebuilding")]
    [InlineData("Remove, OtherBoot")]
    [InlineData("Remove, PowerCut")]
    [InlineData("Remove, Refuse")]
    [InlineData("Replace, Remove, Pointer, Restart, FullDisk")]
    [InlineData("Replace, Remove, RemoveByTag, Clear, Pointer, Restart, Kill, OtherBoot, PowerCut, Feed")]
    public void What_was_flushed_is_there_old_or_new(string operations) =>
        Run(Enum.Parse<TableOperations>(operations), runs: TestLeg.Steps(1, 4), seed: 100);

    [Fact]
    public void What_was_flushed_is_there_old_or_new_with_all_operations() =>
        Run(TableOperations.All, runs: TestLeg.Steps(1, 70), seed: 1_000);

    private void Run(TableOperations operations, int runs, int seed)
    {
        seed = TestLeg.Seed(seed);
        var tally = new CutTally();
        for (int i = 0; i < runs; i++)
        {
            using var run = new CutRun<OpenTables>(seed + i, TableSubject.Make(seed + i, operations, tally));
            run.Run(Rounds);
        }
        output.WriteLine($"seeds {seed} to {seed + runs - 1}: {tally}");
        Assert.True(tally.IsClean, tally.ToString());
        Assert.NotEqual(0, tally.LostSectors);
        Assert.NotEqual(0, tally.Checked);
    }
}
