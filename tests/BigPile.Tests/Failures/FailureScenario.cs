using System;
using System.Collections.Generic;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Failures;

/// <summary>Something that uses a pile's files, and what goes before it.</summary>
/// <param name="Name">What it is.</param>
/// <param name="Prepare">Makes the pile ready for it, with files that do not fail.</param>
/// <param name="Act">Does it; is done again once it failed, or is not.</param>
/// <param name="EndsOpen">Whether the pile is open behind it when it fails: only then it can be done again as it was.</param>
internal sealed record FailureScenario(string Name, Action<FailureRun> Prepare, Action<FailureRun> Act, bool EndsOpen = true)
{
    internal static IReadOnlyList<FailureScenario> All { get; } =
    [
        new("put that grows", PrepareFull, static run => run.Put(1_000_000, 2)),
        new("put of an object larger than a segment", PrepareFull, static run => run.Put(6_000_000)),
        new("replace that grows", PrepareFull, static run => run.Replace(run.Some, 1_500_000)),
        new("flush to the log", PrepareChanged, static run => run.Pile.Flush()),
        new("checkpoint", static run => PrepareLarge(run), static run => run.Pile.Flush()),
        new("checkpoint with moved blocks", static run => PrepareShadowed(run), static run => run.Pile.Flush()),
        new("close with moved blocks", static run => PrepareShadowed(run), static run => run.Close(), EndsOpen: false),
        new("trim", PrepareEmptied, static run => run.Pile.Trim()),
        new("trim and growth", PrepareEmptied, static run => TrimAndGrow(run)),
        new("compact", PrepareLinks, static run => run.Pile.Compact()),
        new("delete that trims", static run => PrepareLarge(run), static run => run.DeleteAllBut(2)),
        new("new type", PrepareChanged, static run => run.Pile.Delete(run.Pile.Put(new Dictionary<int, string> { [1] = "one" }))),
        new("version limit", PrepareChanged, static run => Assert.True(run.Pile.Engine.Versions.Next() > 0)),
        new("close", PrepareChanged, static run => run.Close(), EndsOpen: false),
        new("make", static _ => { }, static run => run.Open(), EndsOpen: false),
        new("open", static run => PrepareClosed(run), static run => run.Open(), EndsOpen: false),
        new("open after a kill", static run => PrepareKilled(run), static run => run.Open(), EndsOpen: false),
        new("open after a power cut", static run => PrepareCut(run), static run => run.Open(), EndsOpen: false),
        new("flush after a power cut", static run => PrepareCutAndOpen(run), static run => run.Pile.Flush()),
        new("close after a power cut", static run => PrepareCutAndOpen(run), static run => run.Close(), EndsOpen: false),
    ];

    public override string ToString() => Name;

    private static void PrepareChanged(FailureRun run)
    {
        run.Open();
        run.Put(300, 20);
        run.Pile.Flush();
        run.Put(300, 20);
        run.Replace(run.Some, 280);
    }

    private static void PrepareCutAndOpen(FailureRun run)
    {
        PrepareCut(run);
        run.Open();
    }

    private static void PrepareLarge(FailureRun run)
    {
        run.Open();
        run.Put(700_000, 14);
        run.Put(100, 10);
    }

    private static void PrepareShadowed(FailureRun run)
    {
        run.Open();
        run.Put(100, 10);
        PilePointer some = run.Some;
        run.Pile.Flush();
        run.Put(700_000, 3);
        run.Replace(some, 300);
    }

    private static void PrepareFull(FailureRun run)
    {
        run.Open();
        run.Put(100, 10);
        run.Put(600_000, 5);
        run.Pile.Flush();
    }

    private static void PrepareEmptied(FailureRun run)
    {
        run.Open();
        run.Put(100, 10);
        run.Put(900_000, 14);
        run.Pile.Flush();
        run.Put(100, 3);
        Empty(run, 10);
    }

    private static void PrepareLinks(FailureRun run)
    {
        run.Open();
        run.Put(100, 200);
        run.Put(900_000, 8);
        run.Pile.Flush();
        PilePointer first = run.Some;
        run.Replace(first, 5_000);
        run.Replace(first, 60);
        Empty(run, 200);
    }

    // Within another call no deletion trims by itself.
    private static void Empty(FailureRun run, int left)
    {
        CriticalRegion critical = run.Pile.Blocks.Barrier.EnterReader();
        run.DeleteAllBut(left);
        critical.Exit();
    }

    private static void PrepareClosed(FailureRun run)
    {
        PrepareChanged(run);
        run.Close();
    }

    private static void PrepareKilled(FailureRun run)
    {
        PrepareChanged(run);
        run.Kill();
    }

    private static void PrepareCut(FailureRun run)
    {
        PrepareChanged(run);
        run.Pile.Flush();
        run.Kill();
        run.Boot = new Guid("00000000-0000-0000-0000-000000000055");
    }

    private static void TrimAndGrow(FailureRun run)
    {
        PileStorageException? refused = null;
        try
        {
            run.Pile.Trim();
        }
        catch (PileStorageException e)
        {
            refused = e;
        }
        run.Put(1_200_000, 3);
        Assert.True(refused == null || refused.InnerException != null);
    }
}
