using System;
using System.IO;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Torture.Tests;

/// <summary>Nothing is lost or wrong after a kill, and each wrong order of stores is noticed.</summary>
public sealed partial class KillTests(ITestOutputHelper output) : IDisposable
{
    private const int MostRuns = 8; // where a kill falls is chance: one run may not meet the window

    private readonly string _directory = Path.Combine(Path.GetTempPath(), "bigpile-" + Path.GetRandomFileName());

    /// <summary>The controls and what they concern; the normal leg has three of them.</summary>
    public static TheoryData<string, string> Controls
    {
        get
        {
            var controls = new TheoryData<string, string>
            {
                { "table", "freed-outside-lock" }, { "pile", "redo-valid-first" }, { "table", "feed-undone-kept" },
            };
            if (!TestLeg.IsLong)
                return controls;
            controls.Add("pile --shared on", "redo-valid-first");
            controls.Add("hash", "link-first");
            controls.Add("hash", "extent-freed-first");
            controls.Add("hash --other-boot on", "no-marks");
            foreach (string control in (string[])["version-from-live", "header-first", "renewed-freed-first", "owned-freed-first",
                "owned-freed-last", "owned-kept", "object-before-entry", "mark-freed-first", "clear-unmarked", "split-unmarked",
                "slot-first", "freed-first", "left-unfinished"])
                controls.Add("table", control);
            foreach (string control in (string[])["header-first", "target-freed-first", "slots-uncleared", "in-place-without-redo",
                "compacted-freed-first", "lease-ignored", "segment-removed-first", "orphans-kept"])
                controls.Add("pile", control);
            return controls;
        }
    }

    /// <summary>The kinds of files; the normal leg has one of them.</summary>
    public static TheoryData<string> FileKinds =>
        TestLeg.IsLong ? ["std", "mmap-para", "mmap-atom", "pos-para", "pos-atom"] : ["mmap-para"];

    public void Dispose()
    {
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }

    [Theory]
    [InlineData("pile", 31)]
    [InlineData("table", 32)]
    [InlineData("hash", 36)]
    public async Task Nothing_is_lost_or_wrong_after_kills(string target, int seed)
    {
        await AssertSoundAsync(target, "", TestLeg.Seed(seed));
    }

    [Fact]
    public Task Nothing_is_lost_or_wrong_after_kills_with_the_codec_of_the_library() =>
        AssertSoundAsync("pile", "--codec messagepack", TestLeg.Seed(40));

    /// <summary>A shared pile has neither checksums nor flushes: all that had returned is there all the same.</summary>
    [Theory]
    [InlineData("pile", 38)]
    [InlineData("table", 39)]
    public async Task Nothing_is_lost_or_wrong_in_a_shared_pile_after_kills(string target, int seed)
    {
        await AssertSoundAsync(target, "--shared on", TestLeg.Seed(seed));
    }

    /// <summary>Only what was flushed must be there then; a younger state of it may be.</summary>
    [Theory]
    [InlineData("pile", 34)]
    [InlineData("table", 35)]
    [InlineData("hash", 37)]
    public async Task What_was_flushed_is_there_after_a_kill_and_another_start_of_the_machine(string target, int seed)
    {
        await AssertSoundAsync(target, "--other-boot on", TestLeg.Seed(seed));
    }

    /// <summary>The kind of a hash database's file is another one in each process above; here it is one.</summary>
    [Theory]
    [MemberData(nameof(FileKinds))]
    public async Task Nothing_is_lost_or_wrong_after_kills_on_any_kind_of_file(string kind)
    {
        await AssertSoundAsync("hash", $"--file {kind}", TestLeg.Seed(40));
    }

    [Theory]
    [MemberData(nameof(Controls))]
    public async Task A_wrong_order_of_stores_is_caught(string target, string control)
    {
        int kills = TestLeg.Steps(15, 60);
        int seed = TestLeg.Seed(33);
        for (int run = 0; !await IsCaughtAsync($"--target {target} --kills {kills} --seed {seed + run} --control {control}"); run++)
            Assert.True(run < MostRuns, $"not caught by {MostRuns} runs of {kills} kills from seed {seed} on");
    }

    private async Task<bool> IsCaughtAsync(string arguments)
    {
        TortureProcess run = await RunAsync(arguments);
        Match sums = Sums().Match(run.Output);
        Assert.True(sums.Success, run.Output);
        bool isCaught = Number(sums, "lost") + Number(sums, "wrong") + Number(sums, "leaked") > 0;
        Assert.Equal(isCaught ? 1 : 0, run.ExitCode);
        if (!isCaught)
            Directory.Delete(_directory, recursive: true);
        return isCaught;
    }

    // A few kills may all have come into openings, where nothing is changed: then some more are.
    private async Task AssertSoundAsync(string target, string options, int seed)
    {
        int kills = TestLeg.Steps(4, 500);
        for (int run = 0; await OperationsOfSoundAsync(target, options, seed + run * 1_000, kills) <= kills; run++)
        {
            Assert.True(run < MostRuns, $"{MostRuns} runs of {kills} kills have changed nothing");
            Directory.Delete(_directory, recursive: true);
        }
    }

    private async Task<long> OperationsOfSoundAsync(string target, string options, int seed, int kills)
    {
        TortureProcess run = await RunAsync($"--target {target} --kills {kills} --seed {seed} {options}");
        Match sums = Sums().Match(run.Output);
        Assert.True(sums.Success, run.Output);
        Assert.Equal(kills, Number(sums, "kills"));
        Assert.Equal((0, 0, 0), (Number(sums, "lost"), Number(sums, "wrong"), Number(sums, "leaked")));
        Assert.Equal(0, run.ExitCode);
        return Number(sums, "operations");
    }

    private static long Number(Match sums, string name) => long.Parse(sums.Groups[name].Value);

    private async Task<TortureProcess> RunAsync(string arguments)
    {
        TortureProcess run = await TortureProcess.RunAsync(arguments, _directory);
        output.WriteLine(run.Output);
        output.WriteLine(run.Error);
        return run;
    }

    [GeneratedRegex(
        @"^kills (?<kills>\d+), operations (?<operations>\d+), lost (?<lost>\d+), wrong (?<wrong>\d+), leaked (?<leaked>\d+)\s*\z",
        RegexOptions.Multiline)]
    private static partial Regex Sums();
}
