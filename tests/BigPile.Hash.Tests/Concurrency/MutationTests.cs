using System.Diagnostics;
using System.IO;
using System.Linq;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Concurrency;

/// <summary>A database that is wrong on purpose does not pass the run that the right one passes.</summary>
public sealed class MutationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(BlockFileKind.MappedParallel)]
    [InlineData(BlockFileKind.PositionalParallel)]
    public void Readers_that_do_not_look_again_are_caught(BlockFileKind kind)
    {
        long start = Stopwatch.GetTimestamp();
        for (int seed = TestLeg.Seed(60); Stopwatch.GetElapsedTime(start) < Eventually.Timeout; seed++)
        {
            if (Record.Exception(() => Run(kind, seed)) is not { } error)
                continue;
            output.WriteLine($"seed {seed}, after {Stopwatch.GetElapsedTime(start).TotalMilliseconds:N0} ms: {error.Message}");
            return;
        }
        Assert.Fail("Readers that do not look again read nothing wrong.");
    }

    private static void Run(BlockFileKind kind, int seed)
    {
        using var temporary = new TemporaryDirectory();
        using HashDatabase database = HashDatabase.Open(Path.Combine(temporary.Path, "database"), new HashDatabaseOptions
        {
            FileKind = kind, Tuning = Some.FewBuckets,
        });
        using var planted = new MutationScope("readers-do-not-validate");
        var run = new VersionedRun(database, keys: 8, writers: 2, seed);
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, 2).Select(writer => new SideBySide.Worker(5_000, run.Writer(writer))),
            .. Enumerable.Range(0, 2).Select(reader => new SideBySide.Worker(5_000, run.Reader(reader))),
        ]);
    }
}
