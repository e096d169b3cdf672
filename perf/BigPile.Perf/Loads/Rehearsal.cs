using System;
using System.Threading;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Loads;

/// <summary>The warm-up: runs all phases repeatedly on a small pile of its own before the load.</summary>
/// <remarks>
/// The runtime optimizes a method only after many calls, and takes up to half a second for that when all cores are busy. Without a warm-up
/// the figure of the first puts is that of unoptimized code: 6 M a second instead of 17. Without tiered compilation there is no profile,
/// and puts and gets of the measured round are a quarter slower.
/// </remarks>
internal static class Rehearsal
{
    private const long SegmentBytes = 16 << 20;
    private const int MaxPayloadBytes = 4 << 20;
    private const int MaxObjects = 16_384;

    private static readonly int Rounds = Brevity.Of(usual: 60, brief: 1); // each of two tiers needs 30 calls

    internal static void Run<TKind>(InsertOptions options, TKind kind, CancellationToken stop)
        where TKind : struct, IPayloadKind<TKind>
    {
        int count = Math.Min(options.Count, Math.Min(MaxPayloadBytes / options.Payload.LengthBytes, MaxObjects));
        if (count == 0)
            return; // for large objects copying dominates
        InsertOptions small = options with { Count = count };
        var layout = new LoadLayout(options.Payload.LengthBytes, options.Threads);
        StoreKind store = options.Store == StoreKind.Mapped ? StoreKind.Native : options.Store;
        var pileOptions = new PileOptions { Store = store, SegmentBytes = SegmentBytes, Codec = options.Codec.Make() };
        using var phases = new ObjectPhases<TKind>(pileOptions, kind, small, layout, stop);
        using var team = new WorkerTeam(Worker.Divide(count, options.Threads), layout.BatchObjects, new NoProgress(), stop);
        for (int i = 0; i < Rounds; i++)
        {
            team.Run("put", phases.Put);
            team.RunAlone("enumerate", phases.Enumerate);
            team.Run("get in sequence", phases.Get);
            team.Run("get at random", phases.GetAtRandom);
            team.Run("delete", phases.Delete);
        }
    }
}
