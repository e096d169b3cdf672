using System;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>Processes die at any instant, between any two stores: nothing hangs, leaks, is half seen, or comes out of order.</summary>
public sealed class TortureTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Kills_leave_nothing_behind()
    {
        using SharedArena arena = _directory.Open(1 << 19, 1024);
        using (Torture torture = Begin(TestLeg.Seed(1), Twin.None, killOneIn: 5_000))
        {
            torture.Run(TestLeg.Steps(20, 600), TimeSpan.FromMinutes(TestLeg.IsLong ? 20 : 2));
            output.WriteLine($"kills {torture.Kills}, at steps {torture.OwnKills}, messages about {torture.Messages:N0}");
            Assert.Null(torture.Fault);
            Assert.NotEqual(0, torture.OwnKills);
            Assert.NotEqual(0, torture.Messages);
        }
        CheckEmpty();
    }

    /// <summary>The control: a wrong order of stores is found.</summary>
    [Fact]
    public void A_receiver_that_takes_before_it_holds_is_found()
    {
        using SharedArena arena = _directory.Open(1 << 19, 1024);
        using Torture torture = Begin(TestLeg.Seed(2), Twin.HoldsAfterTaking, killOneIn: 0);
        torture.Run(int.MaxValue, TimeSpan.FromSeconds(60));
        output.WriteLine(torture.Fault);
        Assert.Contains("fault: ", torture.Fault, StringComparison.Ordinal);
    }

    private Torture Begin(int seed, Twin twin, int killOneIn)
    {
        output.WriteLine($"seed {seed}");
        return new Torture(_directory.Path, seed, twin, killOneIn);
    }

    private void CheckEmpty()
    {
        using SharedArena last = _directory.Open();
        SharedArenaStatistics statistics = last.Statistics;
        Assert.Equal((0, last.CapacityBytes), (statistics.Objects, statistics.FreeBytes));
    }
}
