using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Metrics;

namespace BigPile.Caching.Operations;

/// <summary>Runs factories, one at a time for a key however many callers want its value.</summary>
/// <remarks>
/// A managed object exists for each key whose factory runs, and for none other. Whoever waited reads the value from the table, so that
/// each caller has an object of its own; if it is gone from there already, they share the factory's. A run that found the key there, and
/// made nothing, has nothing to share: what it found may have been removed before they asked. What a run made is kept only if nothing newer
/// has happened to the key since it began; who comes later does not join a run of which that is true. A call counts as one hit or one miss,
/// whatever it does after its first look.
/// </remarks>
internal sealed class FlightTable<TKey, TValue>(TypedTable<TKey, TValue> table, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private readonly FlightKeyComparer<TKey> _keys = new(comparer);

    // One comparer is as good as another: those of one table compare alike.
    private FlightRuns Flights => table.Core.FlightRunsBy(_keys);

    /// <summary>Gives a key's value, which the factory makes on the caller's thread if it is missing.</summary>
    internal TValue GetOrAdd<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options)
    {
        if (table.TryGet(key, out TValue? value))
            return value;
        FlightKey id = _keys.Hashed(table.FlightKeyOf(key));
        while (true)
        {
            Flight flight = FlightOf(id, out Flight<TValue>? own);
            using FlightNode.Wait wait = flight.Node.BeginWait();
            if (own != null)
                return Run(own, id, key, state, factory, options);
            bool hasCompleted = TryWait(id, flight);
            if (table.TryGetAgain(key, out value))
                return value;
            if (hasCompleted && flight.HasMade)
                return table.ValueOf(flight.Value, key);
        }
    }

    /// <summary>Gives a key's value, which the factory makes if it is missing.</summary>
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
                _ = RunAsync(own, id, key, state, factory, options);
            if (own != null || TryJoin(id, flight))
            {
                await WaitAsync(id, flight, own != null ? FlightTimeout.Infinite : table.Core.FlightTimeout, cancellation).ConfigureAwait(false);
                if (own != null)
                    return await own.TypedCompletion.ConfigureAwait(false);
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

    /// <summary>The run of a key that is under way, or a new one, which is the caller's to make.</summary>
    private Flight FlightOf(in FlightKey key, out Flight<TValue>? own)
    {
        own = new Flight<TValue>(new FlightNode(key.Key, table.Core.Name));
        Flight flight = Flights.GetOrAdd(key, own);
        if (flight == own)
            return flight;
        own.Dispose();
        own = null;
        return flight;
    }

    // A run that was abandoned is gone in a moment. One that is outdated goes on for those who waited before.
    private bool TryJoin(FlightKey key, Flight flight)
    {
        if (!flight.IsOutdated)
            return flight.TryJoin();
        Flights.Remove(key, flight);
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

    // A run that nobody waits for is nobody's to join: who comes next starts one of his own.
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
                table.PutMade(key, value, options, flight.Ticket!);
            }
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
            End(flight);
            Leave(id, flight);
        }
    }

    // The flight before may have landed between the look and the start.
    private bool TryGetOrBegin(Flight<TValue> flight, TKey key, EntryOptions? options, [MaybeNullWhen(false)] out TValue value)
    {
        value = default;
        Debug.Assert(flight.Ticket == null, "A run begins once: its mark is handed back once.");
        while ((flight.Ticket = table.BeginFlight(key, options)) == null)
        {
            if (table.TryGetAgain(key, out value))
                return true;
        }
        return false;
    }

    private void End(Flight<TValue> flight)
    {
        if (flight.Ticket != null)
            table.Core.Flights.End(flight.Ticket);
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whoever waits gets the exception.")]
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
