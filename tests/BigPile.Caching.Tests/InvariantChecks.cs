using System;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests;

/// <summary>Checks the invariants of a table. A failure names the step and the run.</summary>
internal static class InvariantChecks
{
    internal static void CheckInvariantsAt(this TableEngine core, string when) => At(when, core.CheckInvariants);

    internal static void At(string when, Action check)
    {
        try
        {
            check();
        }
        catch (InvalidOperationException e)
        {
            throw new InvalidOperationException($"{when}: {e.Message}", e);
        }
    }
}
