using System;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;

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
