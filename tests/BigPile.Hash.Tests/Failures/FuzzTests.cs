using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Files with any bytes changed: right values or an exception; no crash, no hang, no unbounded growth.</summary>
public sealed class FuzzTests(ITestOutputHelper output) : IDisposable
{
    private const long MostGrowthBytes = 16 << 20;
    private const long MostAllocatedBytes = 64 << 20;

    private readonly ScratchDirectory _temporary = new();
    private readonly Dictionary<string, int> _outcomes = [];
    private volatile string _case = "";

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(HashEnding.Closed, 70)]
    [InlineData(HashEnding.Killed, 71)]
    [InlineData(HashEnding.PowerCut, 72)]
    public void Damage_is_an_exception_or_harmless(HashEnding ending, int seed)
    {
        seed = TestLeg.Seed(seed);
        int cases = TestLeg.Steps(80, 100_000);
        Task run = SideBySide.Start(() => Run(ending, seed, cases));
        string last = "";
        while (!run.Wait(TimeSpan.FromSeconds(60)))
        {
            Assert.False(_case == last, $"a hang: seed {seed}, {last}");
            last = _case;
        }
        run.GetAwaiter().GetResult();
        output.WriteLine($"seed {seed}, {cases} cases: {string.Join(", ", _outcomes.Select(static pair => $"{pair.Key} {pair.Value}"))}");
        Assert.True(_outcomes.Count > 1, "all cases ended in the same way");
    }

    [Theory]
    [InlineData(HashEnding.Closed)]
    [InlineData(HashEnding.Killed)]
    [InlineData(HashEnding.PowerCut)]
    public void A_file_that_was_cut_is_an_exception_or_has_right_values(HashEnding ending)
    {
        var damaged = new DamagedFile(_temporary.Root, ending);
        for (int length = 0; length < damaged.Original.Length; length += length < 8_192 ? 331 : 7_331)
        {
            int cut = length;
            RunCase($"cut to {cut}", damaged, () => damaged.Original.AsSpan(0, cut).ToArray(), BlockFile.Kinds[length % 5]);
        }
        output.WriteLine(string.Join(", ", _outcomes.Select(static pair => $"{pair.Key} {pair.Value}")));
    }

    private void Run(HashEnding ending, int seed, int cases)
    {
        var damaged = new DamagedFile(_temporary.Root, ending);
        for (int i = 0; i < cases; i++)
        {
            var random = new Random(seed * 1_000_003 + i);
            BlockFileKind kind = BlockFile.Kinds[random.Next(5)];
            RunCase($"{ending}, case {i}, {kind}", damaged, () => damaged.Change(random), kind);
        }
    }

    private void RunCase(string name, DamagedFile damaged, Func<byte[]> change, BlockFileKind kind)
    {
        _case = name;
        File.WriteAllBytes(damaged.Path, change());
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        string outcome = damaged.Use(kind, name);
        _outcomes[outcome] = _outcomes.GetValueOrDefault(outcome) + 1;
        allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
        Assert.True(allocated < MostAllocatedBytes, $"{name}: {allocated:N0} bytes were allocated");
        long growth = new FileInfo(damaged.Path).Length - damaged.Original.Length;
        Assert.True(growth < MostGrowthBytes, $"{name}: the file grew by {growth:N0} bytes");
        Assert.True(Directory.GetFiles(_temporary.Root).Length == 1, $"{name}: something was left beside the file");
    }
}
