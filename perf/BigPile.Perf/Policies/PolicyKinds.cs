using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Policies;

/// <summary>The policies that can be simulated: their names, and how to make one.</summary>
internal static class PolicyKinds
{
    private static readonly (PolicyKind Kind, string Name, string Title)[] Names =
    [
        (PolicyKind.Own, "own", "Own policy"),
        (PolicyKind.Lru, "lru", "LRU"),
        (PolicyKind.S3Fifo, "s3fifo", "S3-FIFO"),
        (PolicyKind.ConcurrentLru, "concurrentlru", "ConcurrentLru"),
        (PolicyKind.ConcurrentLfu, "concurrentlfu", "ConcurrentLfu"),
        (PolicyKind.Optimum, "opt", "Optimum"),
    ];

    internal static IReadOnlyList<PolicyKind> All { get; } = [.. Names.Select(static row => row.Kind)]; // all of them

    /// <summary>Those that a table is compared with: what can be built, which the optimum cannot.</summary>
    internal static IReadOnlyList<PolicyKind> Rivals { get; } =
        [PolicyKind.Lru, PolicyKind.S3Fifo, PolicyKind.ConcurrentLru, PolicyKind.ConcurrentLfu];

    /// <summary>Those that can weigh their keys.</summary>
    internal static IReadOnlyList<PolicyKind> Weighing { get; } = [PolicyKind.Own, PolicyKind.Lru, PolicyKind.S3Fifo];

    internal static string NameOf(PolicyKind kind) => Names[(int)kind].Name;

    /// <summary>What tables call it.</summary>
    internal static string TitleOf(PolicyKind kind) => Names[(int)kind].Title;

    internal static bool TryParse(string text, out PolicyKind kind)
    {
        int found = Array.FindIndex(Names, row => row.Name == text);
        kind = found < 0 ? default : Names[found].Kind;
        return found >= 0;
    }

    /// <summary>Makes a policy for a trace.</summary>
    /// <param name="kind">Which.</param>
    /// <param name="trace">What will be asked for.</param>
    /// <param name="capacity">How many keys fit, from 1.</param>
    internal static IPolicy Make(PolicyKind kind, Trace trace, long capacity) => kind switch
    {
        PolicyKind.Own => new OwnPolicy(trace.DistinctKeys, capacity, KeyWeights.Equal),
        PolicyKind.Lru => new Lru(trace.DistinctKeys, capacity, KeyWeights.Equal),
        PolicyKind.S3Fifo => new S3Fifo(trace.DistinctKeys, capacity, KeyWeights.Equal),
        PolicyKind.ConcurrentLru => CachePolicy.OfLru((int)capacity),
        PolicyKind.ConcurrentLfu => CachePolicy.OfLfu((int)capacity),
        _ => new Optimum(trace.Accesses, trace.DistinctKeys, capacity),
    };

    /// <summary>Makes a policy that weighs its keys.</summary>
    /// <param name="kind">One of <see cref="Weighing"/>.</param>
    /// <param name="weights">Of each key.</param>
    /// <param name="capacity">What keys that fit weigh together, from 1.</param>
    internal static IPolicy MakeWeighing(PolicyKind kind, long[] weights, long capacity)
    {
        var keyWeights = new KeyWeights(weights);
        return kind switch
        {
            PolicyKind.Own => new OwnPolicy(weights.Length, capacity, keyWeights),
            PolicyKind.Lru => new Lru(weights.Length, capacity, keyWeights),
            _ => new S3Fifo(weights.Length, capacity, keyWeights),
        };
    }
}

/// <summary>A policy beside which a table is set.</summary>
internal enum PolicyKind
{
    Own, // see OwnPolicy
    Lru, // see Lru
    S3Fifo, // see S3Fifo
    ConcurrentLru, // the ConcurrentLru of BitFaster: three queues, about by recency
    ConcurrentLfu, // the ConcurrentLfu of BitFaster: W-TinyLFU, its window moved by a hill climber
    Optimum, // see Optimum
}
