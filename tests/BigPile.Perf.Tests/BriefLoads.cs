using System;
using System.Runtime.CompilerServices;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

/// <summary>Here no figure of a load means anything: all are brief, and in the long leg as they are elsewhere.</summary>
internal static class BriefLoads
{
    // A module's initializer, for it is asked before the first load, and inherited by each process that a test starts.
    [ModuleInitializer]
    internal static void Begin()
    {
        if (TestLeg.IsLong)
            return;
        Environment.SetEnvironmentVariable(Brevity.Variable, "1");
        Environment.SetEnvironmentVariable("DOTNET_TieredPGO", "0"); // of the processes: as in the tests themselves
    }
}
