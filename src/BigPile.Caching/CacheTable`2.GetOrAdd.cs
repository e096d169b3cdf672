using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching;

/// <summary>Values made on demand.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>
    /// Reads a value, or makes it. The factory runs once for a key, however many callers wait for it, whatever value type they ask for.
    /// </summary>
    /// <remarks>
    /// A value that the table can't store, as it is at its limit or its pile is full, is given to all waiting callers, and the next call
    /// makes it again: <see cref="TableStatistics.Collisions"/> and <see cref="PileHealth.RefusedPutCount"/> count that.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="factory">Makes the value, on the thread of one of the callers. It must not ask for the same key.</param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    /// <returns>The value. An exception of the factory is thrown to all waiting callers.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="InvalidCastException">The value, which may be that of another caller's factory, is of another type.</exception>
    /// <exception cref="InvalidOperationException">The factory asked for its own key, or for one whose factory waits for it.</exception>
    /// <exception cref="TimeoutException">Another factory took longer than <see cref="PileCacheOptions.FactoryPatience"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public TValue GetOrAdd(TKey key, Func<TKey, TValue> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _flights.GetOrAdd(key, factory, static (key, factory) => factory(key), options);
    }

    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="state">Passed to the factory, which then needs no closure.</param>
    /// <param name="factory">Makes the value, on the thread of one of the callers. It must not ask for the same key.</param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    public TValue GetOrAdd<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _flights.GetOrAdd(key, state, factory, options);
    }

    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="factory">Makes the value. Its token is cancelled when no caller waits any more.</param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    /// <param name="cancellationToken">Cancels this caller's wait only.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<TValue> GetOrAddAsync(
        TKey key, Func<TKey, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _flights.GetOrAddAsync(key, factory, static (key, factory, stop) => factory(key, stop), options, cancellationToken);
    }

    /// <inheritdoc cref="GetOrAddAsync(TKey, Func{TKey, CancellationToken, ValueTask{TValue}}, EntryOptions, CancellationToken)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="state">Passed to the factory, which then needs no closure.</param>
    /// <param name="factory">Makes the value. Its token is cancelled when no caller waits any more.</param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    /// <param name="cancellationToken">Cancels this caller's wait only.</param>
    public ValueTask<TValue> GetOrAddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _flights.GetOrAddAsync(key, state, factory, options, cancellationToken);
    }
}
