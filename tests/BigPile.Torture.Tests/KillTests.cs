using System;
using System.IO;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Torture.Tests;

/// <summary>Nothing is lost or wrong after a kill, and each wrong order of stores is noticed.</summary>
public sealed partial class KillTests(ITestOutputHelper output) : IDisposable
{
    private readonly string _directory = Path.Combine(Path.GetTempPath(), "bigpile-" + Path.GetRandomFileName());

    /// <summary>The controls and what they concern; the normal leg has one of them.</summary>
    public static TheoryData<string, string> Controls
    {
        get
        {
            var controls = new TheoryData<string, string> { { "table", "freed-outside-lock" } };
            if (!TestLeg.IsLong)
                return controls;
            controls.Add("table", "version-from-live");
            controls.Add("table", "header-first");
            controls.Add("pile", "header-first");
            controls.Add("pile", "target-freed-first");
            controls.Add("pile", "slots-uncleared");
            controls.Add("pile", "in-place-without-redo");
            return controls;
        }
    }

    public void Dispose()
    {
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }

    [Theory]
    [InlineData("pile", 31)]
    [InlineData("table", 32)]
    public async Task Nothing_is_lost_or_wrong_after_kills(string target, int seed)
    {
        int kills = TestLeg.Steps(20, 500);
        TortureProcess run = await RunAsync($"--target {target} --kills {kills} --seed {TestLeg.Seed(seed)}");
        Match sums = Sums().Match(run.Output);
        Assert.True(sums.Success, run.Output);
        Assert.Equal((kills.ToString(), "0", "0"), (sums.Groups["kills"].Value, sums.Groups["lost"].Value, sums.Groups["wrong"].Value));
        Assert.True(long.Parse(sums.Groups["operations"].Value) > kills, run.Output);
        Assert.Equal(0, run.ExitCode);
    }

    [Theory]
    [MemberData(nameof(Controls))]
    public async Task A_wrong_order_of_stores_is_caught(string target, string control)
    {
        int kills = TestLeg.Steps(15, 60);
        TortureProcess run = await RunAsync($"--target {target} --kills {kills} --seed {TestLeg.Seed(33)} --control {control}");
        Match sums = Sums().Match(run.Output);
        Assert.True(sums.Success, run.Output);
        Assert.True(long.Parse(sums.Groups["lost"].Value) + long.Parse(sums.Groups["wrong"].Value) > 0, run.Output);
        Assert.Equal(1, run.ExitCode);
    }

    private async Task<TortureProcess> RunAsync(string arguments)
    {
        TortureProcess run = await TortureProcess.RunAsync(arguments, _directory);
        output.WriteLine(run.Output);
        output.WriteLine(run.Error);
        return run;
    }

    [GeneratedRegex(@"^kills (?<kills>\d+), operations (?<operations>\d+), lost (?<lost>\d+), wrong (?<wrong>\d+)\s*\z", RegexOptions.Multiline)]
    private static partial Regex Sums();
}
