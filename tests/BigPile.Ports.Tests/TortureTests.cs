using System;

namespace BigPile.Ports.Tests;

/// <summary>Processes die at any instant, between any two stores: nothing hangs, leaks, is half seen, or comes out of order.</summary>
public sealed class TortureTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Kills_leave_nothing_behind(bool isMulticast)
    {
        using SharedArena arena = _directory.Open(1 << 19, 1024);
        using (Torture torture = Begin(isMulticast, TestLeg.Seed(1), "none", killOneIn: 5_000))
        {
            torture.Run(TestLeg.Steps(20, 600), TimeSpan.FromMinutes(TestLeg.IsLong ? 20 : 2));
            output.WriteLine($"kills {torture.Kills}, at steps {torture.OwnKills}, messages about {torture.Messages:N0} {torture.Fault}");
            Assert.Null(torture.Fault);
            Assert.NotEqual(0, torture.OwnKills);
            Assert.NotEqual(0, torture.Messages);
        }
        CheckEmpty();
    }

    /// <summary>The controls: a wrong order of stores is found.</summary>
    [Theory]
    [InlineData(false, "holds-after-taking")]
    [InlineData(true, "holds-after-taking")]
    [InlineData(true, "joins-without-recheck")]
    [InlineData(true, "reclaims-without-recheck")]
    public void A_wrong_order_of_stores_is_found(bool isMulticast, string mutation)
    {
        using SharedArena arena = _directory.Open(1 << 19, 1024);
        using Torture torture = Begin(isMulticast, TestLeg.Seed(2), mutation, killOneIn: 0);
        torture.Run(int.MaxValue, TimeSpan.FromSeconds(60));
        output.WriteLine(torture.Fault);
        Assert.Contains("fault: ", torture.Fault, StringComparison.Ordinal);
    }

    private Torture Begin(bool isMulticast, int seed, string mutation, int killOneIn)
    {
        output.WriteLine($"seed {seed}");
        return new Torture(_directory.Path, isMulticast ? Torture.OneToMany : Torture.OneToOne, seed, mutation, killOneIn);
    }

    private void CheckEmpty()
    {
        using SharedArena last = _directory.Open();
        foreach ((_, string port) in Torture.OneToOne)
            last.OpenReceivePort(port).Dispose(); // what nobody had come for yet waits for somebody
        SharedArenaStatistics statistics = last.Statistics;
        Assert.Equal((0, last.CapacityBytes), (statistics.Objects, statistics.FreeBytes));
    }
}
