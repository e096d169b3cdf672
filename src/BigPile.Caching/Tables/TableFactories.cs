using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tables;

/// <summary>
/// What a table knows of its factories, apart from those that run: limits, failures, what was given instead; and the jitter of lifetimes.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="table">The table's name.</param>
/// <param name="limits">How many factories of the cache run at a time.</param>
/// <param name="meter">Measures them.</param>
/// <param name="logger">Gets the types that can't be read.</param>
internal sealed class TableFactories(string table, FactoryLimits limits, CacheMeter meter, ILogger logger)
{
    private readonly Lock _reporting = new(); // guards the types
    private HashSet<Type>? _reportedTypes; // that could not be read; created by the first
    private ulong _jitter; // the last fraction that was drawn; interlocked
    private long _staleReads; // interlocked
    private long _unreadableEntries; // interlocked

    /// <summary>How many factories of the cache run at a time.</summary>
    internal FactoryLimits Limits => limits;

    /// <summary>The keys whose factories failed of late.</summary>
    internal FailureThrottle Failures { get; } = new();

    /// <summary>Stale values that were given.</summary>
    internal long StaleReads => Volatile.Read(ref _staleReads);

    /// <summary>Entries that could not be read, and so counted as missing.</summary>
    internal long UnreadableEntries => Volatile.Read(ref _unreadableEntries);

    /// <summary>Draws a part of a jitter, up to all of it.</summary>
    /// <remarks>
    /// Multiples of the golden ratio, whose fractions spread more evenly than random numbers (Knuth, TAOCP 6.4, theorem S).
    /// </remarks>
    internal long NextJitter(long ticks)
    {
        ulong fraction = Interlocked.Add(ref _jitter, 0x9E3779B97F4A7C15);
        return (long)Math.BigMul(fraction, (ulong)ticks + 1, out _);
    }

    /// <summary>Runs a factory: waits for its place, measures and traces it.</summary>
    /// <param name="factory">The factory.</param>
    /// <param name="node">Its run.</param>
    /// <param name="hasPlace">Whether the run has one already, as a refresh does.</param>
    /// <param name="blocks">Whether the wait blocks the thread: see <see cref="FactoryLimits.EnterAsync"/>.</param>
    /// <param name="cancellation">Cancels the wait for a place, and is the factory's.</param>
    internal async ValueTask<TMade> RunAsync<TMade>(
        Func<CancellationToken, ValueTask<TMade>> factory, FlightNode node, bool hasPlace, bool blocks, CancellationToken cancellation)
    {
        using FactoryLimits.Place place =
            hasPlace ? default : await limits.EnterAsync(node, cancellation, blocks).ConfigureAwait(false);
        var run = FactoryRun.Begin(meter, table);
        try
        {
            TMade made = await factory(cancellation).ConfigureAwait(false);
            run.End();
            return made;
        }
        catch (Exception e)
        {
            run.End(e);
            throw;
        }
    }

    /// <summary>Counts a stale value that was given.</summary>
    internal void CountStale() => Interlocked.Increment(ref _staleReads);

    /// <summary>Counts an entry that could not be read, and reports the first one of each type.</summary>
    internal void ReportUnreadable(Type type, Exception reason)
    {
        Interlocked.Increment(ref _unreadableEntries);
        lock (_reporting)
        {
            _reportedTypes ??= [];
            if (!_reportedTypes.Add(type))
                return;
        }
        logger.LogWarning(
            reason, "An entry of the table '{Table}' can't be read as {Type}; it counts as missing, and its factory makes it anew", table,
            type);
    }
}
