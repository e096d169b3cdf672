using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Failures;

/// <summary>Which of a call's file operations fail, and how.</summary>
/// <param name="Position">The number of the operation, from 1 on.</param>
/// <param name="Mode">How it fails.</param>
/// <param name="Cause">What the system says.</param>
/// <param name="Turn">Counts what comes in turn behind the failure.</param>
internal sealed record FailurePlan(int Position, FailureMode Mode, FailureCause Cause, int Turn)
{
    private const int MostOperations = 500;

    private static readonly FailureMode[] Modes = Enum.GetValues<FailureMode>();
    private static readonly FailureCause[] Causes = Enum.GetValues<FailureCause>();

    /// <summary>
    /// The long leg lets each operation fail in each mode by each cause. The short one lets each kind of operation (what is done to which
    /// file) fail at its first place in the call and at its last, and takes modes and causes in turn.
    /// </summary>
    /// <param name="operations">The operations of a call that does not fail.</param>
    internal static IEnumerable<FailurePlan> Of(IReadOnlyList<string> operations)
    {
        Assert.InRange(operations.Count, 1, MostOperations);
        return TestLeg.IsLong ? EachPlace(operations) : EachKind(operations);
    }

    private static IEnumerable<FailurePlan> EachPlace(IReadOnlyList<string> operations) =>
        from place in Enumerable.Range(0, operations.Count)
        from mode in ModesOf(operations[place])
        from cause in Causes
        select new FailurePlan(place + 1, mode, cause, place + (int)mode + (int)cause);

    private static IEnumerable<FailurePlan> EachKind(IReadOnlyList<string> operations)
    {
        int kinds = 0;
        foreach (IGrouping<string, int> kind in Enumerable.Range(0, operations.Count).GroupBy(place => operations[place]))
        {
            FailureMode[] modes = [.. ModesOf(kind.Key)];
            int turn = kinds++;
            yield return new FailurePlan(kind.First() + 1, modes[2 * turn % modes.Length], Causes[turn % Causes.Length], turn);
            if (kind.First() == kind.Last())
                continue;
            turn++;
            yield return new FailurePlan(kind.Last() + 1, modes[(2 * turn - 1) % modes.Length], Causes[turn % Causes.Length], turn);
        }
    }

    // What is no write can't be done by half.
    private static IEnumerable<FailureMode> ModesOf(string operation) =>
        Modes.Where(mode => mode != FailureMode.HalfDone || FailingFiles.IsWrite(operation));
}
