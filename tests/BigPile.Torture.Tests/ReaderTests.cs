using System;
using System.IO;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Torture.Tests;

/// <summary>
/// Processes that only read beside one that writes: no mixture, no sound object refused; and each check that is left out is noticed.
/// </summary>
public sealed partial class ReaderTests(ITestOutputHelper output) : IDisposable
{
    private readonly string _directory = Path.Combine(Path.GetTempPath(), "bigpile-" + Path.GetRandomFileName());
    private readonly string _directoryInMemory = Path.Combine("/dev/shm", "bigpile-" + Path.GetRandomFileName());

    /// <summary>The checks that can be left out; the normal leg has one of them.</summary>
    public static TheoryData<string> Controls => TestLeg.IsLong
        ? ["sequence-not-compared", "header-not-loaded-again"]
        : ["sequence-not-compared"];

    public void Dispose()
    {
        foreach (string directory in new[] { _directory, _directoryInMemory })
        {
            if (Directory.Exists(directory))
                Directory.Delete(directory, recursive: true);
        }
    }

    [Theory]
    [InlineData(0, 61)]
    [InlineData(4, 62)]
    public async Task Readers_beside_a_writer_see_whole_values_only(int kills, int seed)
    {
        long reads = TestLeg.Steps(200_000, 500_000_000);
        TortureProcess run = await RunAsync(
            $"readers --reads {reads} --readers 2 --kills {(TestLeg.IsLong ? kills * 50 : kills)} --seed {TestLeg.Seed(seed)}");
        AssertSound(run, reads);
    }

    [Theory]
    [InlineData(0, 0, 64)]
    [InlineData(4, 8, 65)]
    public async Task Readers_of_a_shared_pile_see_whole_values_only(int kills, int readerKills, int seed)
    {
        long reads = TestLeg.Steps(200_000, 500_000_000);
        int times = TestLeg.IsLong ? 25 : 1;
        TortureProcess run = await RunAsync(
            $"readers --shared on --reads {reads} --readers 2 --kills {kills * times} --reader-kills {readerKills * times} "
            + $"--seed {TestLeg.Seed(seed)}", _directoryInMemory);
        AssertSound(run, reads);
    }

    [Theory]
    [MemberData(nameof(Controls))]
    public Task A_check_that_a_reader_of_a_shared_pile_leaves_out_is_noticed(string control) => AssertNoticedAsync(
        $"readers --shared on --reads 10000000 --readers 2 --control {control}", 66, _directoryInMemory,
        static sums => sums.Groups["mixtures"].Value != "0" || sums.Groups["refused"].Value != "0");

    [Theory]
    [MemberData(nameof(Controls))]
    public Task A_check_that_is_left_out_is_noticed(string control) => AssertNoticedAsync(
        $"readers --reads 10000000 --readers 2 --control {control}", 63, _directory, static sums => sums.Groups["mixtures"].Value != "0");

    [Theory]
    [InlineData("readers", "--reads is missing")]
    [InlineData("readers --reads 0", "--reads is '0'")]
    [InlineData("readers --reads 1 --readers 17", "a number from 1 to 16")]
    [InlineData("readers --reads 1 --control none", "--control is 'none'")]
    [InlineData("readers --reads 1 --shared yes", "--shared is 'yes'")]
    [InlineData("readers-read x", "for the torture's own children")]
    public async Task Bad_arguments_are_refused_with_a_sentence(string arguments, string part)
    {
        TortureProcess run = await TortureProcess.RunAsync(arguments);
        Assert.Equal(2, run.ExitCode);
        Assert.Contains(part, run.Error, StringComparison.Ordinal);
    }

    private static void AssertSound(TortureProcess run, long reads)
    {
        Match sums = Sums().Match(run.Output);
        Assert.True(sums.Success, run.Output);
        Assert.True(long.Parse(sums.Groups["reads"].Value) >= reads, run.Output);
        Assert.Equal(("0", "0", "0"), (sums.Groups["mixtures"].Value, sums.Groups["refused"].Value, sums.Groups["faults"].Value));
        Assert.Equal(0, run.ExitCode);
    }

    // On a machine with far more to do than processors, hardly a reader runs at the same instant as the writer: then the run is made again.
    private async Task AssertNoticedAsync(string arguments, int seed, string directory, Func<Match, bool> isNoticed)
    {
        const int MostRuns = 6;
        for (int i = 1; ; i++)
        {
            TortureProcess run = await RunAsync($"{arguments} --seed {TestLeg.Seed(seed) + i - 1}", Path.Combine(directory, $"{i}"));
            Match sums = Sums().Match(run.Output);
            Assert.True(sums.Success, run.Output);
            if (!isNoticed(sums) && i < MostRuns)
                continue;
            Assert.True(isNoticed(sums), run.Output);
            Assert.Equal(1, run.ExitCode);
            return;
        }
    }

    private async Task<TortureProcess> RunAsync(string arguments, string? directory = null)
    {
        TortureProcess run = await TortureProcess.RunAsync(arguments, directory ?? _directory);
        output.WriteLine(run.Output);
        output.WriteLine(run.Error);
        return run;
    }

    [GeneratedRegex(@"^reads (?<reads>\d+), mixtures (?<mixtures>\d+), refused (?<refused>\d+), writer faults (?<faults>\d+)\s*\z",
        RegexOptions.Multiline)]
    private static partial Regex Sums();
}
