using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>Short sequences of operations and cuts: in the long leg all of them.</summary>
public sealed class CutSequenceTests(ITestOutputHelper output)
{
    private const int Normal = 110;
    private const int Long = 20_000;
    private const string Beginning = "aby"; // both are on the device

    /// <summary>Those that a wrong order would break first, each by name.</summary>
    private static readonly string[] Named =
    [
        "ayaa", "ayaay", "ayA", "ayAa", "ayAy", "ayAyb", "ayAyyb", "ayaAy", "ayaAyyb", "ayak", "ayakb", "ayakby", "ayAk", "ayAkb", "ayAkyb",
        "ayAkyyb", "aykAkyyb", "ayAkayb", "ayr", "ayar", "ayAr", "ayAry", "ayArkyb", "ayc", "ayca", "ayck", "aycyb", "aycyyb", "ayo",
        "ayao",
        "ayAo", "ayAob", "ab", "aAo", "ayaAa", "ayaAakyb", "ayArb", "aybBAby", "aybkBAbky", "cyacky",
    ];

    [Fact]
    public void What_was_synchronized_is_there_behind_all_short_sequences()
    {
        int seed = TestLeg.Seed(300);
        var random = new Random(seed);
        var tally = new CutTally();
        foreach (string steps in Named.Concat(Random(random, TestLeg.Steps(Normal, Long))))
            new CutSequence(steps, random, tally, BlockFile.Kinds[random.Next(5)]).Run();
        output.WriteLine($"seed {seed}: {tally}");
        Assert.True(tally.IsClean, tally.ToString());
    }

    /// <summary>The controls: what each of them leaves out is found by one of the named sequences.</summary>
    [Theory]
    [InlineData("nothing-deferred")]
    [InlineData("no-tombstones")]
    [InlineData("no-marks")]
    public void A_wrong_way_to_store_is_caught(string control)
    {
        using var planted = new MutationScope(control);
        int seed = TestLeg.Seed(400);
        var random = new Random(seed);
        var tally = new CutTally();
        for (int round = 0; tally.IsClean; round++)
        {
            Assert.True(round < 30, $"seed {seed}: nothing wrong was found in {tally.Images} images");
            foreach (string steps in Named.TakeWhile(_ => tally.IsClean))
                new CutSequence(steps, random, tally, BlockFileKind.MappedParallel).Run();
        }
        output.WriteLine($"seed {seed}: {tally}");
    }

    private static IEnumerable<string> Random(Random random, int count)
    {
        for (int i = 0; i < count; i++)
        {
            var letters = Enumerable.Range(0, 2 + random.Next(6)).Select(_ => CutSequence.Letters[random.Next(CutSequence.Letters.Length)]);
            yield return (random.Next(4) == 0 ? "" : Beginning) + string.Concat(letters);
        }
    }
}
