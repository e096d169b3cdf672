using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Metrics;

namespace BigPile.Caching.Flights;

/// <summary>Runs factories, one at a time for a key however many callers want its value.</summary>
/// <remarks>
/// A managed object exists for each key whose factory runs, and for none other. Whoever waited reads the value from the table, so that
/// each caller has an object of its own; if it is gone from there already, they share the factory's.
/// </remarks>
internal sealed class FlightTable<TKey, TValue>(CacheTable<TKey, TValue> table, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private readonly ConcurrentDictionary<TKey, Flight<TValue>> _flights = new(comparer ?? EqualityComparer<TKey>.Default);

    /// <summary>Gives a key's value, which the factory makes on the caller's thread if it is missing.</summary>
    internal TValue GetOrAdd<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options)
    {
        while (true)
        {
            if (table.TryGet(key, out TValue? value))
                return value;
            var own = new Flight<TValue> { ThreadId = Environment.CurrentManagedThreadId };
            Flight<TValue> flight = _flights.GetOrAdd(key, own);
            if (flight == own)
                return Run(own, key, state, factory, options);
            own.Dispose();
            if (flight.ThreadId == Environment.CurrentManagedThreadId)
                throw new InvalidOperationException($"The factory for the key '{key}' of the table '{table.Name}' asks for the same key.");
            if (TryWait(key, flight, out TValue? shared))
                return table.TryGet(key, out value) ? value : shared;
        }
    }

    /// <summary>Gives a key's value, which the factory makes if it is missing.</summary>
    internal async ValueTask<TValue> GetOrAddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options, CancellationToken cancellation)
    {
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            if (table.TryGet(key, out TValue? value))
                return value;
            var own = new Flight<TValue>();
            Flight<TValue> flight = _flights.GetOrAdd(key, own);
            bool isOwn = flight == own;
            if (isOwn)
                _ = RunAsync(own, key, state, factory, options);
            else if (!flight.TryJoin())
                continue; // it was abandoned, and is gone in a moment
            TValue shared = await WaitAsync(key, flight, cancellation).ConfigureAwait(false);
            return !isOwn && table.TryGet(key, out value) ? value : shared;
        }
    }

    private bool TryWait(TKey key, Flight<TValue> flight, [MaybeNullWhen(false)] out TValue value)
    {
        value = default;
        if (!flight.TryJoin())
            return false;
        try
        {
            value = flight.Landing.GetAwaiter().GetResult();
            return true;
        }
        finally
        {
            Leave(key, flight);
        }
    }

    private async Task<TValue> WaitAsync(TKey key, Flight<TValue> flight, CancellationToken cancellation)
    {
        try
        {
            return await flight.Landing.WaitAsync(cancellation).ConfigureAwait(false);
        }
        finally
        {
            Leave(key, flight);
        }
    }

    // A run that nobody waits for is nobody's to join: who comes next starts one of his own.
    private void Leave(TKey key, Flight<TValue> flight)
    {
        if (flight.LeaveAsLast())
            _flights.TryRemove(KeyValuePair.Create(key, flight));
    }

    private TValue Run<TState>(Flight<TValue> flight, TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options)
    {
        try
        {
            if (!table.TryGet(key, out TValue? value)) // the flight before may have landed between the look and the start
            {
                value = Make(key, state, factory);
                table.Put(key, value, options);
            }
            _flights.TryRemove(KeyValuePair.Create(key, flight));
            flight.Land(value);
            return value;
        }
        catch (Exception e)
        {
            _flights.TryRemove(KeyValuePair.Create(key, flight));
            flight.Crash(e);
            throw;
        }
        finally
        {
            Leave(key, flight);
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whoever waits gets the exception.")]
    private async Task RunAsync<TState>(
        Flight<TValue> flight, TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options)
    {
        try
        {
            if (!table.TryGet(key, out TValue? value))
            {
                value = await MakeAsync(key, state, factory, flight.Abandoned).ConfigureAwait(false);
                table.Put(key, value, options);
            }
            _flights.TryRemove(KeyValuePair.Create(key, flight));
            flight.Land(value);
        }
        catch (Exception e)
        {
            _flights.TryRemove(KeyValuePair.Create(key, flight));
            flight.Crash(e);
        }
    }

    private TValue Make<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory)
    {
        long began = CacheDurations.BeginFactory();
        try
        {
            TValue value = factory(key, state);
            CacheDurations.EndFactory(table.Name, began, null);
            return value;
        }
        catch (Exception e)
        {
            CacheDurations.EndFactory(table.Name, began, e);
            throw;
        }
    }

    private async ValueTask<TValue> MakeAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, CancellationToken abandoned)
    {
        long began = CacheDurations.BeginFactory();
        try
        {
            TValue value = await factory(key, state, abandoned).ConfigureAwait(false);
            CacheDurations.EndFactory(table.Name, began, null);
            return value;
        }
        catch (Exception e)
        {
            CacheDurations.EndFactory(table.Name, began, e);
            throw;
        }
    }
}
