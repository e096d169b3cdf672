using System;
using System.Threading;

namespace BigPile.Perf.FullPiles;

/// <summary>Has three tables of a full pile give way to each other, to a durable table and to objects.</summary>
internal static class SharesRunner
{
    private const long RehearsalBytes = 16L << 20;
    private const int PercentThatStays = 10; // of the pile, for the durable table and for the objects each

    private static readonly int Rounds = Brevity.Of(usual: 10, brief: 1);
    private static readonly int RehearsalRounds = Brevity.Of(usual: 10, brief: 0);

    /// <summary>Runs the load.</summary>
    internal static SharesReport Run(FullOptions options, ILoadProgress progress, CancellationToken stop)
    {
        FullRunner.RequireMemory(options);
        for (int i = 0; i < RehearsalRounds; i++)
            Run(options with { PileBytes = Math.Min(options.PileBytes, RehearsalBytes) }, rounds: 1, new NoProgress(), stop);
        GC.Collect();
        return Run(options, Rounds, progress, stop);
    }

    private static SharesReport Run(FullOptions options, int rounds, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        using var pile = new CrowdedPile(options.PileOptions(directory), stop);
        int entries = (int)(options.PileBytes / FullValues.MeanEntryBytes);
        int staying = entries * PercentThatStays / 100;
        progress.Begin("fill", 1);
        pile.PutWhatStays(staying);
        pile.FillEqually();
        pile.GiveWay(Brevity.Of(usual: 6, brief: 1) * entries, progress);
        long payloadBytes = pile.Statistics.PayloadBytes;
        var times = new GrowthTimes();
        progress.Begin("grow", rounds);
        for (int round = 0; round <= rounds; round++)
        {
            times.Grow(pile, staying, counts: round != 0); // at first its index grows as well
            progress.Report(round);
        }
        return SharesReport.Of(options, pile, payloadBytes, times);
    }
}
