using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Typed;

/// <summary>Runs factories, one at a time for each key.</summary>
/// <remarks>
/// <para>
/// A managed object exists only for keys whose factory runs. Callers that waited read the value from the table, so that each gets an object
/// of its own; if the entry is gone by then, they share the factory's object. A run that found the key in the table made nothing to share:
/// what it found may have been removed before they asked. A made value is kept only if nothing newer happened to its key since the run
/// began; later callers do not join such an outdated run. A call counts as one hit or one miss, by its first read.
/// </para>
/// <para>
/// Where a run fails or takes too long, each caller looks for a stale value itself, so what was removed meanwhile is given to nobody. Until
/// the throttle's time is over, callers look for one before they begin or join a run.
/// </para>
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed partial class FlightTable<TKey, TValue>(TypedTable<TKey, TValue> table, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private readonly FlightKeyComparer<TKey> _keys = new(comparer); // compares keys as the table does

    // Any comparer of the table will do: they compare alike.
    internal FlightRuns Flights => table.Core.FlightRunsBy(_keys);

    private CacheClock Clock => table.Core.Clock;

    internal FailureThrottle Failures => table.Core.Factories.Failures;

    /// <summary>Gets a value, or makes it: on the caller's thread, unless a time limit lets the caller leave it behind.</summary>
    internal MadeValue<TValue> GetOrAdd<TFactory>(TKey key, TFactory factory, EntryOptions? options)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        if (TryGet(key, factory, options, out TValue? value, out ulong unreadable))
            return new MadeValue<TValue>(value, ValueOrigin.Table);
        ValueTask<MadeValue<TValue>> made = MakeAsync(key, factory, options, unreadable, CancellationToken.None);
        return made.IsCompletedSuccessfully ? made.Result : made.AsTask().GetAwaiter().GetResult();
    }

    /// <summary>Gets a value, or makes it.</summary>
    internal ValueTask<MadeValue<TValue>> GetOrAddAsync<TFactory>(
        TKey key, TFactory factory, EntryOptions? options, CancellationToken cancellation)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        if (cancellation.IsCancellationRequested)
            return ValueTask.FromCanceled<MadeValue<TValue>>(cancellation);
        return TryGet(key, factory, options, out TValue? value, out ulong unreadable)
            ? new ValueTask<MadeValue<TValue>>(new MadeValue<TValue>(value, ValueOrigin.Table))
            : MakeAsync(key, factory, options, unreadable, cancellation);
    }

    private bool TryGet<TFactory>(
        TKey key, in TFactory factory, EntryOptions? options, [MaybeNullWhen(false)] out TValue value, out ulong unreadable)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        unreadable = 0;
        if (!table.TryGetToMake(key, out value, out EntryInfo info, out long now))
        {
            unreadable = info.Version;
            return false;
        }
        // By the table's share, the search has read the time where the entry may be due: nearly all hits end here.
        double? ownShare = options?.EagerRefresh;
        if (ownShare == null && now == 0)
            return true;
        if ((ownShare ?? table.Core.Options.EagerRefresh) is { } share)
            RefreshIfDue(key, factory, options, share, info);
        return true;
    }

    private async ValueTask<MadeValue<TValue>> MakeAsync<TFactory>(
        TKey key, TFactory factory, EntryOptions? options, ulong unreadable, CancellationToken cancellation)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        var rules = new FactoryRules(table.Core.Options, options, Time);
        if (TryGetThrottled(key, out MadeValue<TValue> throttled))
            return throttled;
        FlightKey id = IdOf(key);
        while (true)
        {
            Flight flight = FlightOf(id, node: null, out Flight<TValue>? own);
            // Also for an own run: the factory that calls this waits for it, and circles through it must be found. It throws where the run
            // waits for the caller.
            using FlightNode.Wait wait = flight.Node.BeginWait();
            if (own != null)
                Start(() => RunAsync(own, id, key, factory, options, rules, unreadable), rules);
            if (own != null || TryJoin(id, flight))
            {
                if (await WaitAsync(id, flight, own, key, rules, cancellation).ConfigureAwait(false) is { } made)
                    return made;
            }
            cancellation.ThrowIfCancellationRequested();
            if (table.TryGetToMake(key, isAgain: true, out TValue? value, out EntryInfo info)) // no second miss
                return new MadeValue<TValue>(value, ValueOrigin.Table);
            unreadable = info.Version;
        }
    }

    // With time limits on another thread, as the caller may leave before it ends.
    internal static void Start(Func<Task> run, in FactoryRules rules) => _ = rules.HasTimeouts ? Task.Run(run) : run();

    /// <summary>The key, hashed, by which flights are told apart.</summary>
    internal FlightKey IdOf(TKey key) => _keys.Hashed(table.FlightKeyOf(key));

    /// <summary>The key's running flight, or a new one for the caller to run.</summary>
    internal Flight FlightOf(in FlightKey key, FlightNode? node, out Flight<TValue>? own, bool isRefresh = false)
    {
        own = new Flight<TValue>(node ?? new FlightNode(key.Key, table.Core.Name), isRefresh);
        Flight flight = Flights.GetOrAdd(key, own); // compares keys: application code, with no lock held
        if (flight == own)
            return flight;
        own.Dispose(); // it was never visible
        own = null;
        return flight;
    }

    // An abandoned run disappears in a moment. An outdated one goes on for the callers that joined before.
    internal bool TryJoin(FlightKey key, Flight flight)
    {
        if (!flight.IsOutdated)
            return flight.TryJoin();
        Flights.Remove(key, flight); // the next caller runs anew
        return false;
    }

    // Returns null if the run has ended and left nothing for this caller.
    private async ValueTask<MadeValue<TValue>?> WaitAsync(
        FlightKey id, Flight flight, Flight<TValue>? own, TKey key, FactoryRules rules, CancellationToken cancellation)
    {
        try
        {
            TimeSpan limit = LimitOf(own != null, rules);
            bool hasEnded = false;
            if (rules.HasSoftWithin(limit, out TimeSpan soft) && table.HasStale(key))
            {
                hasEnded = await new FlightTimeout(soft, Time).IsMetByAsync(flight.Completion, cancellation).ConfigureAwait(false);
                if (!hasEnded && TryGetLate(key, flight, soft, rules, out MadeValue<TValue> stale))
                {
                    HoldOn(id, flight, rules.HardLeft(Time));
                    return stale;
                }
                limit = FlightTimeout.LeftOf(limit, soft);
            }
            if (!hasEnded && !await new FlightTimeout(limit, Time).IsMetByAsync(flight.Completion, cancellation).ConfigureAwait(false))
                return GetLateOrThrow(key, flight, own != null, rules);
        }
        finally
        {
            Leave(id, flight);
        }
        return await ResultOfAsync(flight, own, key).ConfigureAwait(false);
    }

    internal async ValueTask<MadeValue<TValue>?> ResultOfAsync(Flight flight, Flight<TValue>? own, TKey key)
    {
        if (!flight.Completion.IsCompletedSuccessfully)
        {
            Exception failure = flight.Completion.Exception!.InnerException!;
            if (flight.HasFactoryFailed && TryGetInstead(key, failure, out MadeValue<TValue> instead))
                return instead;
            await flight.Completion.ConfigureAwait(false); // throws
        }
        if (own == null && flight.WasOutdatedUnseen)
            return null;
        ValueOrigin origin = flight.HasMade ? ValueOrigin.Factory : ValueOrigin.Table;
        if (own != null)
            return new MadeValue<TValue>(await own.TypedCompletion.ConfigureAwait(false), origin);
        // An object of its own, if the table has kept the value.
        if (table.TryGetToMake(key, isAgain: true, out TValue? value, out _))
            return new MadeValue<TValue>(value, origin);
        return flight.HasMade ? new MadeValue<TValue>(table.ValueOf(flight.Value, key), origin) : null;
    }

    // No caller joins a run without waiting callers: the next one starts its own.
    internal void Leave(FlightKey key, Flight flight)
    {
        if (flight.LeaveAsLast())
            Flights.Remove(key, flight);
    }

    [SuppressMessage("Design", "CA1031", Justification = "The waiting callers get the exception.")]
    private async Task RunAsync<TFactory>(
        Flight<TValue> flight, FlightKey id, TKey key, TFactory factory, EntryOptions? options, FactoryRules rules, ulong replaced)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        flight.Node.Enter(); // until this method ends
        try
        {
            if (!TryGetOrBegin(flight, key, options, replaced, out TValue? value))
            {
                var context = new FactoryContext<TValue>(flight.Node, options, new StaleReader<TKey, TValue>(table, key));
                flight.Abandoned.ThrowIfCancellationRequested(); // since nobody waits any more
                value = await MadeByAsync(flight, key, factory, context, rules).ConfigureAwait(false);
                Keep(flight, key, value, context);
            }
            // Put, removed, completed: who comes in between reads the value from the table, or runs anew and finds it there.
            Flights.Remove(id, flight);
            flight.Complete(value);
        }
        catch (Exception e)
        {
            Flights.Remove(id, flight);
            flight.Fail(e);
        }
        finally
        {
            End(flight); // the ticket leaves the table in any case
        }
    }

    // The previous flight may have completed between the caller's read and this start.
    internal bool TryGetOrBegin(
        Flight<TValue> flight, TKey key, EntryOptions? options, ulong replaced, [MaybeNullWhen(false)] out TValue value)
    {
        value = default;
        Debug.Assert(flight.Ticket == null, "A run begins once: its ticket is returned once.");
        while ((flight.Ticket = table.BeginFlight(key, options, replaced)) == null) // null: the key is there
        {
            if (table.TryGetToMake(key, isAgain: true, out value, out EntryInfo info)) // else it went meanwhile: begin again
                return true;
            replaced = info.Version;
        }
        return false;
    }

    private async ValueTask<TValue> MadeByAsync<TFactory>(
        Flight flight, TKey key, TFactory factory, FactoryContext<TValue> context, FactoryRules rules)
        where TFactory : struct, IFactory<TKey, TValue>
    {
        try
        {
            TValue value = await RunFactoryAsync(
                async abandoned =>
                {
                    TValue made = await factory.MakeAsync(key, context, abandoned).ConfigureAwait(false);
                    if (context.Failure != null)
                        throw context.Failure;
                    return context.IsNotModified ? context.Stale : made; // as it says, whatever it returned
                },
                flight.Node, flight.IsRefresh, TFactory.IsBlocking, rules, flight.Abandoned).ConfigureAwait(false);
            if (Failures.IsAny)
                Failures.Clear(table.HashOf(key));
            return value;
        }
        catch when (!flight.IsAbandoned)
        {
            flight.MarkFactoryFailed();
            Throttle(key, rules);
            throw;
        }
    }

    // Refused in silence if the ticket is outdated: callers that joined get the value all the same.
    private void Keep(Flight flight, TKey key, TValue value, FactoryContext<TValue> context)
    {
        FlightTicket ticket = flight.Ticket!;
        Debug.Assert(context.Failure == null, "A value that was not made is not kept.");
        if (table.Core.Flights.AddTags(ticket, EntrySpecs.TagHashesOf(context.Options)))
            flight.MarkOutdatedUnseen();
        if (!context.IsKept)
            return;
        if (!context.IsNotModified)
            table.PutMade(key, value, context.Options, ticket);
        else if (!table.TryRenewMade(key, context.Options, ticket))
            flight.MarkOutdatedUnseen();
    }

    // A factory that blocks runs on its caller's thread, unless the caller may leave it behind; so does its wait for a place.
    internal ValueTask<TMade> RunFactoryAsync<TMade>(
        Func<CancellationToken, ValueTask<TMade>> factory, FlightNode node, bool isRefresh, bool isBlocking, in FactoryRules rules,
        CancellationToken abandoned) =>
        table.Core.Factories.RunAsync(factory, node, isRefresh, isBlocking && !rules.HasTimeouts, abandoned);

    internal void End(Flight<TValue> flight)
    {
        if (flight.Ticket != null)
            table.Core.Flights.End(flight.Ticket);
    }
}
