using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>Why figures of two runs may differ beside the code.</summary>
internal static class RunDifferences
{
    private const double SameMemory = 0.02; // the same machine reports a little more or less from start to start

    /// <summary>A sentence for each difference.</summary>
    internal static IReadOnlyList<string> Of(RunFile a, RunFile b) =>
        [.. MachinesOf(a.Machine, b.Machine), .. OptionsOf(a.Options, b.Options)];

    private static IEnumerable<string> MachinesOf(RunMachine a, RunMachine b)
    {
        (string Name, string A, string B)[] facts =
        [
            ("processor", a.Processor, b.Processor), ("number of cores", $"{a.Cores}", $"{b.Cores}"), ("system", a.System, b.System),
            ("runtime", a.Runtime, b.Runtime), ("collector", a.Collector, b.Collector),
        ];
        foreach ((string name, string first, string second) in facts.Where(static fact => fact.A != fact.B))
            yield return Sentence(name, first, second);
        if (Math.Abs(a.MemoryBytes - b.MemoryBytes) > SameMemory * Math.Max(a.MemoryBytes, b.MemoryBytes))
            yield return Sentence("memory", Counted.Of(a.MemoryBytes, "byte"), Counted.Of(b.MemoryBytes, "byte"));
    }

    private static IEnumerable<string> OptionsOf(IReadOnlyDictionary<string, string> a, IReadOnlyDictionary<string, string> b) =>
        from name in a.Keys.Union(b.Keys)
        let first = a.GetValueOrDefault(name, "not there")
        let second = b.GetValueOrDefault(name, "not there")
        where first != second
        select Sentence("option " + name, first, second);

    private static string Sentence(string name, string a, string b) => $"The {name} differs: {a} in the first run, {b} in the second.";
}
