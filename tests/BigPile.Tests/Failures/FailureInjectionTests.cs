using System;
using System.Collections.Generic;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Tests.Failures;

/// <summary>
/// Each file operation of each call fails in turn: the call says so by an exception of the pile's, memory and disk are in one of the two
/// states, the call works when it is made again, and nothing is lost, now, after a kill, after a flush and after a restart. Where the call
/// is not made again, nothing is lost either.
/// </summary>
public sealed class FailureInjectionTests(ITestOutputHelper output)
{
    public static TheoryData<string> Names => [.. FailureScenario.All.Select(static scenario => scenario.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_operation_may_fail(string name)
    {
        FailureScenario scenario = FailureScenario.All.Single(candidate => candidate.Name == name);
        var failed = new SortedDictionary<string, int>(StringComparer.Ordinal);
        foreach (FailurePlan plan in FailurePlan.Of(TryOne(scenario, null, isMadeAgain: false, failed)))
        {
            // The short leg makes the call again in turn.
            foreach (bool isMadeAgain in scenario.EndsOpen ? TestLeg.IsLong ? [true, false] : [plan.Turn % 2 == 0] : (bool[])[true])
                TryOne(scenario, plan, isMadeAgain, failed);
        }
        output.WriteLine($"{name}: {failed.Values.Sum():N0} failures at {failed.Count} kinds of operations, lost 0, wrong 0");
        foreach ((string operation, int count) in failed)
            output.WriteLine($"  {count,5} {operation}");
        Assert.NotEmpty(failed);
    }

    /// <summary>Lets one operation fail, or none.</summary>
    /// <returns>The operations.</returns>
    private static IReadOnlyList<string> TryOne(
        FailureScenario scenario, FailurePlan? plan, bool isMadeAgain, SortedDictionary<string, int> failed)
    {
        using var run = new FailureRun();
        scenario.Prepare(run);
        run.Files.Arm(plan);
        Exception? error = Record.Exception(() => scenario.Act(run));
        run.Files.Disarm();
        string? operation = run.Files.Failed;
        try
        {
            Assert.True(operation != null || error == null, "nothing failed, and yet there is an error");
            Assert.True(error is null or PileStorageException or PileFullException, "the error is not one of the pile's");
            // The short leg kills or closes, by the turn; the long one does both.
            bool isKilled = plan is not { Turn: var turn } || turn % 4 < 2;
            bool isClosed = plan == null || !isKilled;
            Pursue(run, scenario, isMadeAgain && operation != null, TestLeg.IsLong || isKilled, TestLeg.IsLong || isClosed);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException(
                $"{scenario.Name}: {operation} failed ({plan}{(isMadeAgain ? "" : ", not made again")}): "
                + $"{e.Message} The call said: {error?.ToString() ?? "nothing"}", e);
        }
        if (operation != null)
            failed[operation] = failed.GetValueOrDefault(operation) + 1;
        return run.Files.Operations;
    }

    private static void Pursue(FailureRun run, FailureScenario scenario, bool isMadeAgain, bool isKilled, bool isClosed)
    {
        if (run.Pile is { IsDisposed: false })
        {
            run.Check();
            if (isKilled)
                run.CheckKilled();
            if (isMadeAgain)
                scenario.Act(run);
        }
        run.Open();
        run.Check();
        run.UseOn();
        if (isKilled)
            run.CheckKilled();
        run.Pile.Flush();
        if (isKilled)
            run.CheckReplayed();
        run.Check();
        if (!isClosed)
            return;
        run.Close();
        run.Open();
        Assert.True(run.Pile.Recovery.WasClean);
        run.Check();
        run.Close();
        Assert.True(Pile.VerifyDirectory(run.PilePath).IsSound);
    }
}
