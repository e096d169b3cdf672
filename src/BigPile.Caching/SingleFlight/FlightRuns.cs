using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.SingleFlight;

/// <summary>The running factories of a table by key, whatever type of values they make.</summary>
/// <remarks>
/// Keys may be compared by application code, which may wait, call back or throw. So a key is hashed once, before its run begins; keys are
/// compared with no lock held; and a run is removed by reference, which compares nothing. Thread safety: all members may be called
/// concurrently.
/// </remarks>
/// <param name="comparer">Compares keys as their table does.</param>
internal sealed class FlightRuns(IEqualityComparer<FlightKey> comparer)
{
    private readonly Lock _lock = new(); // guards the dictionary; no key is compared under it
    private readonly Dictionary<int, Run[]> _byHash = []; // arrays are replaced, never changed

    /// <summary>Gets the run of a key, or adds one.</summary>
    /// <param name="key">The key, with its hash.</param>
    /// <param name="own">The run to add if there is none.</param>
    internal Flight GetOrAdd(in FlightKey key, Flight own)
    {
        Run[] others = [];
        while (true)
        {
            Run[] runs = RunsOf(key.Hash);
            foreach (Run run in runs)
            {
                // Those of the round before are not compared again.
                if (!Has(others, run) && comparer.Equals(run.Key, key))
                    return run.Flight;
            }
            others = runs;
            if (TryAdd(others, new Run(key, own)))
                return own;
        }
    }

    /// <summary>Removes a run, if it is still there.</summary>
    internal void Remove(in FlightKey key, Flight flight)
    {
        lock (_lock)
        {
            if (!_byHash.TryGetValue(key.Hash, out Run[]? runs))
                return;
            Run[] left = Array.FindAll(runs, run => run.Flight != flight);
            if (left.Length == 0)
                _byHash.Remove(key.Hash);
            else
                _byHash[key.Hash] = left;
        }
    }

    private Run[] RunsOf(int hash)
    {
        lock (_lock)
            return _byHash.GetValueOrDefault(hash) ?? [];
    }

    // Fails when a run was added since the others were compared: it may have the key.
    private bool TryAdd(Run[] others, Run run)
    {
        lock (_lock)
        {
            Run[] runs = _byHash.GetValueOrDefault(run.Key.Hash) ?? [];
            if (runs != others && !Array.TrueForAll(runs, one => Has(others, one)))
                return false;
            _byHash[run.Key.Hash] = [.. runs, run];
            return true;
        }
    }

    private static bool Has(Run[] runs, in Run run)
    {
        foreach (ref readonly Run one in runs.AsSpan())
        {
            if (one.Flight == run.Flight)
                return true;
        }
        return false;
    }

    private readonly struct Run(FlightKey key, Flight flight)
    {
        internal FlightKey Key => key;

        internal Flight Flight => flight;
    }
}
