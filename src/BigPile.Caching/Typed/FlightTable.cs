using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>Runs factories, one at a time for each key.</summary>
/// <remarks>
/// A managed object exists only for keys whose factory runs. Callers that waited read the value from the table, so that each gets an object
/// of its own; if the entry is gone by then, they share the factory's object. A run that found the key in the table made nothing to share:
/// what it found may have been removed before they asked. A made value is kept only if nothing newer happened to its key since the run
/// began; later callers do not join such an outdated run. A call counts as one hit or one miss, by its first read.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class FlightTable<TKey, TValue>(TypedTable<TKey, TValue> table, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private readonly FlightKeyComparer<TKey> _keys = new(comparer); // compares keys as the table does

    // Any comparer of the table will do: they compare alike.
    private FlightRuns Flights => table.Core.FlightRunsBy(_keys);

    /// <summary>Gets a value, or makes it on the caller's thread.</summary>
    internal TValue GetOrAdd<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options)
    {
        if (table.TryGet(key, out TValue? value))
            return value;
        FlightKey id = _keys.Hashed(table.FlightKeyOf(key));
        while (true)
        {
            Flight flight = FlightOf(id, out Flight<TValue>? own);
            // Also for an own run: the factory that calls this waits for it, and circles through it must be found. It throws where the run
            // waits for the caller.
            using FlightNode.Wait wait = flight.Node.BeginWait();
            if (own != null)
                return Run(own, id, key, state, factory, options);
            bool hasCompleted = TryWait(id, flight);
            // An object of its own, if the table has kept the value. It is no second miss.
            if (table.TryGetAgain(key, out value))
                return value;
            if (hasCompleted && flight.HasMade)
                return table.ValueOf(flight.Value, key);
        }
    }

    internal async ValueTask<TValue> GetOrAddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options,
        CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        if (table.TryGet(key, out TValue? value))
            return value;
        FlightKey id = _keys.Hashed(table.FlightKeyOf(key));
        while (true)
        {
            Flight flight = FlightOf(id, out Flight<TValue>? own);
            using FlightNode.Wait wait = flight.Node.BeginWait();
            if (own != null)
                // Its failure becomes the flight's, and so reaches all who wait.
                _ = RunAsync(own, id, key, state, factory, options);
            if (own != null || TryJoin(id, flight))
            {
                await WaitAsync(id, flight, own != null ? FlightTimeout.Infinite : table.Core.FlightTimeout, cancellation)
                    .ConfigureAwait(false);
                if (own != null)
                    return await own.TypedCompletion.ConfigureAwait(false); // or its exception
                if (!table.TryGetAgain(key, out value) && flight.HasMade)
                    return table.ValueOf(flight.Value, key);
            }
            else
            {
                cancellation.ThrowIfCancellationRequested();
            }
            if (table.TryGetAgain(key, out value))
                return value;
        }
    }

    /// <summary>The key's running flight, or a new one for the caller to run.</summary>
    private Flight FlightOf(in FlightKey key, out Flight<TValue>? own)
    {
        own = new Flight<TValue>(new FlightNode(key.Key, table.Core.Name));
        Flight flight = Flights.GetOrAdd(key, own); // compares keys: application code, with no lock held
        if (flight == own)
            return flight;
        own.Dispose(); // it was never visible
        own = null;
        return flight;
    }

    // An abandoned run disappears in a moment. An outdated one goes on for the callers that joined before.
    private bool TryJoin(FlightKey key, Flight flight)
    {
        if (!flight.IsOutdated)
            return flight.TryJoin();
        Flights.Remove(key, flight); // the next caller runs anew
        return false;
    }

    private bool TryWait(FlightKey key, Flight flight)
    {
        if (!TryJoin(key, flight))
            return false;
        try
        {
            flight.WaitAsync(table.Core.FlightTimeout, CancellationToken.None).GetAwaiter().GetResult();
            return true;
        }
        finally
        {
            Leave(key, flight);
        }
    }

    private async Task WaitAsync(FlightKey key, Flight flight, FlightTimeout timeout, CancellationToken cancellation)
    {
        try
        {
            await flight.WaitAsync(timeout, cancellation).ConfigureAwait(false);
        }
        finally
        {
            Leave(key, flight);
        }
    }

    // No caller joins a run without waiting callers: the next one starts its own.
    private void Leave(FlightKey key, Flight flight)
    {
        if (flight.LeaveAsLast())
            Flights.Remove(key, flight);
    }

    private TValue Run<TState>(
        Flight<TValue> flight, FlightKey id, TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options)
    {
        FlightNode.ThreadScope scope = flight.Node.EnterThread();
        try
        {
            if (!TryGetOrBegin(flight, key, options, out TValue? value))
            {
                value = Make(key, state, factory);
                // Refused in silence if the ticket is outdated: callers that joined get the value all the same.
                table.PutMade(key, value, options, flight.Ticket!);
            }
            // Put, removed, completed: who comes in between reads the value from the table, or runs anew and finds it there.
            Flights.Remove(id, flight);
            flight.Complete(value);
            return value;
        }
        catch (Exception e)
        {
            Flights.Remove(id, flight);
            flight.Fail(e);
            throw;
        }
        finally
        {
            scope.Dispose();
            End(flight); // the ticket leaves the table in any case
            Leave(id, flight);
        }
    }

    // The previous flight may have completed between the caller's read and this start.
    private bool TryGetOrBegin(Flight<TValue> flight, TKey key, EntryOptions? options, [MaybeNullWhen(false)] out TValue value)
    {
        value = default;
        Debug.Assert(flight.Ticket == null, "A run begins once: its ticket is returned once.");
        while ((flight.Ticket = table.BeginFlight(key, options)) == null) // null: the key is there
        {
            if (table.TryGetAgain(key, out value)) // else it went meanwhile: begin again
                return true;
        }
        return false;
    }

    private void End(Flight<TValue> flight)
    {
        if (flight.Ticket != null)
            table.Core.Flights.End(flight.Ticket);
    }

    [SuppressMessage("Design", "CA1031", Justification = "The waiting callers get the exception.")]
    private async Task RunAsync<TState>(
        Flight<TValue> flight, FlightKey id, TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory,
        EntryOptions? options)
    {
        flight.Node.Enter(); // until this method ends
        try
        {
            if (!TryGetOrBegin(flight, key, options, out TValue? value))
            {
                value = await MakeAsync(key, state, factory, flight.Abandoned).ConfigureAwait(false);
                table.PutMade(key, value, options, flight.Ticket!);
            }
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
            End(flight);
        }
    }

    private TValue Make<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory)
    {
        var run = FactoryRun.Begin(table.Core.Meter, table.Core.Name);
        try
        {
            TValue value = factory(key, state);
            run.End();
            return value;
        }
        catch (Exception e)
        {
            run.End(e);
            throw;
        }
    }

    private async ValueTask<TValue> MakeAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, CancellationToken abandoned)
    {
        var run = FactoryRun.Begin(table.Core.Meter, table.Core.Name);
        try
        {
            TValue value = await factory(key, state, abandoned).ConfigureAwait(false);
            run.End();
            return value;
        }
        catch (Exception e)
        {
            run.End(e);
            throw;
        }
    }
}
