using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>Values made on demand.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>
    /// Reads a value, or makes it. The factory runs once for a key, however many callers wait for it, whatever value type they ask for.
    /// </summary>
    /// <remarks>
    /// <para>
    /// A value that the table can't store, as it is at its limit or its pile is full, is given to all waiting callers, and the next call
    /// makes it again: <see cref="TableStatistics.Collisions"/> and <see cref="PileHealth.RefusedPutCount"/> count that. An entry whose
    /// value can't be read counts as missing, and its factory replaces it: <see cref="TableStatistics.UnreadableEntries"/>.
    /// </para>
    /// <para>
    /// With <see cref="EntryOptions.FailSafeMaxAge"/> an expired value is returned where the factory fails or takes too long; see also
    /// <see cref="EntryOptions.FactorySoftTimeout"/> and <see cref="EntryOptions.EagerRefresh"/>. <see cref="GetOrAddEntry"/> tells.
    /// </para>
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="factory">
    /// Makes the value: on the thread of one of the callers, or with a time limit, and to refresh, on one of the pool. It must not ask for
    /// the same key.
    /// </param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    /// <returns>The value. An exception of the factory is thrown to all waiting callers.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="InvalidCastException">The value, which may be that of another caller's factory, is of another type.</exception>
    /// <exception cref="InvalidOperationException">The factory asked for its own key, or for one whose factory waits for it.</exception>
    /// <exception cref="TimeoutException">
    /// The factory took longer than <see cref="EntryOptions.FactoryHardTimeout"/>, or that of another caller longer than
    /// <see cref="PileCacheOptions.FactoryPatience"/>, and there is no stale value.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public TValue GetOrAdd(TKey key, Func<TKey, TValue> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return GetOrAdd(key, factory, static (key, factory, _) => factory(key), options);
    }

    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="state">Passed to the factory, which then needs no closure.</param>
    /// <param name="factory">Makes the value. It must not ask for the same key.</param>
    /// <param name="options">Age, priority and tags of a new entry; the table's when left out.</param>
    public TValue GetOrAdd<TState>(TKey key, TState state, Func<TKey, TState, TValue> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return GetOrAdd(key, (state, factory), static (key, made, _) => made.factory(key, made.state), options);
    }

    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="factory">
    /// Makes the value; it may look at the value that it replaces, and decide how the new one is kept. It must not ask for the same key.
    /// </param>
    /// <param name="options">Age, priority and tags of a new entry, until the factory sets others; the table's when left out.</param>
    public TValue GetOrAdd(TKey key, Func<TKey, FactoryContext<TValue>, TValue> factory, EntryOptions? options = null) =>
        GetOrAddEntry(key, factory, options).Value;

    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, FactoryContext{TValue}, TValue}, EntryOptions)"/>
    /// <returns>The value, and whether it was in the table, was made, or is stale.</returns>
    public MadeValue<TValue> GetOrAddEntry(
        TKey key, Func<TKey, FactoryContext<TValue>, TValue> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return _flights.GetOrAdd(
            key,
            new BlockingFactory<TKey, Func<TKey, FactoryContext<TValue>, TValue>, TValue>(
                factory, static (key, factory, context) => factory(key, context)),
            options);
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
        return GetOrAddAsync(key, factory, static (key, factory, _, stop) => factory(key, stop), options, cancellationToken);
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
        return GetOrAddAsync(
            key, (state, factory), static (key, made, _, stop) => made.factory(key, made.state, stop), options, cancellationToken);
    }

    /// <inheritdoc cref="GetOrAddAsync(TKey, Func{TKey, CancellationToken, ValueTask{TValue}}, EntryOptions, CancellationToken)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="factory">
    /// Makes the value; it may look at the value that it replaces, and decide how the new one is kept. Its token is cancelled when no
    /// caller waits any more.
    /// </param>
    /// <param name="options">Age, priority and tags of a new entry, until the factory sets others; the table's when left out.</param>
    /// <param name="cancellationToken">Cancels this caller's wait only.</param>
    public ValueTask<TValue> GetOrAddAsync(
        TKey key, Func<TKey, FactoryContext<TValue>, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return GetOrAddAsync(
            key, factory, static (key, factory, context, stop) => factory(key, context, stop), options, cancellationToken);
    }

    /// <summary>
    /// As <c>GetOrAddAsync</c>, and tells whether the value was in the table, was made, or is stale, and then why.
    /// </summary>
    /// <inheritdoc cref="GetOrAddAsync(TKey, Func{TKey, CancellationToken, ValueTask{TValue}}, EntryOptions, CancellationToken)"/>
    public ValueTask<MadeValue<TValue>> GetOrAddEntryAsync(
        TKey key, Func<TKey, FactoryContext<TValue>, CancellationToken, ValueTask<TValue>> factory, EntryOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return GetOrAddEntryAsync(
            key, factory, static (key, factory, context, stop) => factory(key, context, stop), options, cancellationToken);
    }

    private TValue GetOrAdd<TState>(
        TKey key, TState state, Func<TKey, TState, FactoryContext<TValue>, TValue> factory, EntryOptions? options) =>
        _flights.GetOrAdd(key, new BlockingFactory<TKey, TState, TValue>(state, factory), options).Value;

    private ValueTask<TValue> GetOrAddAsync<TState>(
        TKey key, TState state, Func<TKey, TState, FactoryContext<TValue>, CancellationToken, ValueTask<TValue>> factory,
        EntryOptions? options, CancellationToken cancellation)
    {
        ValueTask<MadeValue<TValue>> made = GetOrAddEntryAsync(key, state, factory, options, cancellation);
        return made.IsCompletedSuccessfully ? new ValueTask<TValue>(made.Result.Value) : ValueOfAsync(made);
    }

    private ValueTask<MadeValue<TValue>> GetOrAddEntryAsync<TState>(
        TKey key, TState state, Func<TKey, TState, FactoryContext<TValue>, CancellationToken, ValueTask<TValue>> factory,
        EntryOptions? options, CancellationToken cancellation) =>
        _flights.GetOrAddAsync(key, new AsyncFactory<TKey, TState, TValue>(state, factory), options, cancellation);

    private static async ValueTask<TValue> ValueOfAsync(ValueTask<MadeValue<TValue>> made) => (await made.ConfigureAwait(false)).Value;
}
