using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>Stale values, time limits, and runs in the background.</summary>
internal sealed partial class FlightTable<TKey, TValue>
{
    internal TimeProvider Time => table.Core.FlightTimeout.Time;

    /// <summary>Gets the value that is given where a factory failed: the stale one, or one that was put meanwhile.</summary>
    internal bool TryGetInstead(TKey key, Exception? failure, out MadeValue<TValue> made)
    {
        made = default;
        if (!table.TryGetStale(key, out TValue? value, out EntryInfo info))
            return false;
        bool isLive = info.ExpiryTicks == 0 || info.ExpiryTicks + Clock.StepsSince(info.Version) > Clock.Now;
        if (!isLive)
            table.Core.Factories.CountStale();
        made = isLive
            ? new MadeValue<TValue>(value, ValueOrigin.Table)
            : new MadeValue<TValue>(value, ValueOrigin.Stale) { Failure = failure };
        return true;
    }

    /// <summary>Gets the value that is given where a factory failed a short time ago.</summary>
    internal bool TryGetThrottled(TKey key, out MadeValue<TValue> made)
    {
        made = default;
        return Failures.IsAny && Failures.IsThrottled(table.HashOf(key), Clock.Now) && TryGetInstead(key, failure: null, out made);
    }

    // Without a stale value the throttle is of no effect, and it takes no memory of those that never fail.
    internal void Throttle(TKey key, in FactoryRules rules)
    {
        if (rules.Throttle > TimeSpan.Zero && table.HasStale(key))
            Failures.Set(table.HashOf(key), Clocks.CacheClock.Add(Clock.Now, rules.Throttle.Ticks));
    }

    // A run that has not ended in time.
    internal bool TryGetLate(TKey key, Flight flight, TimeSpan limit, in FactoryRules rules, out MadeValue<TValue> stale)
    {
        if (!TryGetInstead(key, flight.Node.IsLate(limit), out stale))
            return false;
        Throttle(key, rules);
        return true;
    }

    internal MadeValue<TValue> GetLateOrThrow(TKey key, Flight flight, bool isOwn, in FactoryRules rules)
    {
        TimeSpan usual = isOwn ? Timeout.InfiniteTimeSpan : table.Core.FlightTimeout.Limit;
        bool isHard = rules.HardTimeout is { } hard && FlightTimeout.IsBelow(hard, usual);
        TimeSpan limit = isHard ? rules.HardTimeout!.Value : usual;
        if (TryGetLate(key, flight, limit, rules, out MadeValue<TValue> stale))
            return stale;
        throw isHard ? flight.Node.TakesLongerThan(limit) : flight.Node.TakesTooLong(limit);
    }

    // How long a caller waits for a run of its own, or of another caller.
    internal TimeSpan LimitOf(bool isOwn, in FactoryRules rules)
    {
        TimeSpan limit = isOwn ? Timeout.InfiniteTimeSpan : table.Core.FlightTimeout.Limit;
        return rules.HardTimeout is { } hard && FlightTimeout.IsBelow(hard, limit) ? rules.HardLeft(Time) : limit;
    }

    // The run goes on, though its callers have left, until it has ended or its time is over.
    internal void HoldOn(FlightKey id, Flight flight, TimeSpan limit)
    {
        bool isJoined = flight.TryJoin();
        Debug.Assert(isJoined || flight.Completion.IsCompleted, "The caller waits still, so the run is not abandoned.");
        if (isJoined)
            _ = WaitToLeaveAsync(id, flight, limit);
    }

    private async Task WaitToLeaveAsync(FlightKey id, Flight flight, TimeSpan limit)
    {
        _ = await new FlightTimeout(limit, Time).IsMetByAsync(flight.Completion, CancellationToken.None).ConfigureAwait(false);
        Leave(id, flight);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RefreshIfDue<TFactory>(TKey key, in TFactory factory, EntryOptions? options, double share, in EntryInfo info)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        if (!FactoryRules.IsShare(share))
            _ = new FactoryRules(table.Core.Options, options, Time); // which refuses it
        Debug.Assert(FactoryRules.IsShare(share), "Those of the call were checked here, those of the table before.");
        if (info.ExpiryTicks == 0)
            return;
        long due = EntryTimes.PartOf(info.Version, info.ExpiryTicks, share) + Clock.StepsSince(info.Version);
        if (Clock.NowAtMost < due || Clock.Now < due || (Failures.IsAny && Failures.IsThrottled(table.HashOf(key), Clock.Now)))
            return;
        BeginRefresh(key, factory, options, new FactoryRules(table.Core.Options, options, Time), info.Version);
    }

    private void BeginRefresh<TFactory>(TKey key, TFactory factory, EntryOptions? options, FactoryRules rules, ulong version)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        if (!table.Core.Factories.Limits.TryBeginRefresh())
            return; // a later read tries again
        FlightKey id;
        Flight<TValue>? own = null;
        try
        {
            id = IdOf(key); // application code, where the table has a comparer
            _ = FlightOf(id, node: null, out own, isRefresh: true);
        }
        finally
        {
            if (own == null) // it runs already, or the comparer threw
                table.Core.Factories.Limits.EndRefresh();
        }
        if (own == null)
            return;
        Debug.Assert(own.Ticket == null, "The run has not begun.");
        _ = Task.Run(async () =>
        {
            // The run's own wait takes the place of a caller's, who is not there.
            Task wait = WaitToLeaveAsync(id, own, rules.HardLeft(Time));
            try
            {
                await RunAsync(own, id, key, factory, options, rules, version).ConfigureAwait(false);
            }
            finally
            {
                table.Core.Factories.Limits.EndRefresh();
            }
            await wait.ConfigureAwait(false);
        });
    }
}
