using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>Operations on many keys: two to three times as fast as one by one, where the data is not in the processor's cache.</summary>
/// <remarks>Each key is read or changed on its own, as by a separate call.</remarks>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>Reads values.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="values">Gets the values, in the order of the keys; the default where a key is missing. As long as the keys.</param>
    /// <param name="found">Gets whether each key was there. As long as the keys.</param>
    /// <returns>How many keys were there.</returns>
    /// <exception cref="ArgumentException">The spans are not of one length.</exception>
    /// <exception cref="InvalidCastException">A value is of another type.</exception>
    /// <exception cref="PileSerializationException">A value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int GetMany(ReadOnlySpan<TKey> keys, Span<TValue?> values, Span<bool> found)
    {
        RequireLength(keys.Length, values.Length, nameof(values));
        RequireLength(keys.Length, found.Length, nameof(found));
        return _many.Get(keys, values, found);
    }

    /// <summary>Copies values, as stored, to a writer, one after another.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="lengths">
    /// Gets the bytes of each value, in the order of the keys; -1 where a key is missing. As long as the keys.
    /// </param>
    /// <returns>How many keys were there.</returns>
    /// <exception cref="ArgumentException">The spans are not of one length.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int ReadMany(ReadOnlySpan<TKey> keys, IBufferWriter<byte> destination, Span<int> lengths)
    {
        ArgumentNullException.ThrowIfNull(destination);
        RequireLength(keys.Length, lengths.Length, nameof(lengths));
        return _many.Read(keys, destination, lengths);
    }

    /// <summary>Puts values.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="values">The values, as many.</param>
    /// <param name="results">Receives the result of each put. As long as the keys.</param>
    /// <param name="options">Age, priority and tags of all; the table's when left out.</param>
    /// <exception cref="ArgumentException">
    /// The spans are not of one length, a key is too long, or an option is out of its range.
    /// </exception>
    /// <exception cref="PileFullException">The pile is full. The keys before are put.</exception>
    /// <exception cref="PileSerializationException">
    /// A value holds something that has no place in a pile; what came before is put.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void PutMany(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, Span<PutResult> results, EntryOptions? options = null)
    {
        RequireLength(keys.Length, values.Length, nameof(values));
        RequireLength(keys.Length, results.Length, nameof(results));
        _many.Put(keys, values, results, options);
    }

    /// <summary>Removes keys and their values.</summary>
    /// <returns>How many of the keys were there.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int RemoveMany(ReadOnlySpan<TKey> keys) => _many.Remove(keys);

    /// <summary>Reads the values of many keys, and makes those that are missing by one call of a factory.</summary>
    /// <remarks>
    /// For each key one factory runs at a time, whatever call it belongs to: a key that another call makes already is waited for, and not
    /// passed to this one's factory. Where the factory fails or takes too long, stale values are returned if each key has one.
    /// </remarks>
    /// <param name="keys">The keys; repeated ones count once.</param>
    /// <param name="factory">
    /// Makes the values of the keys that it is given. A key that is not in its result has no value: it is not kept, and not returned.
    /// </param>
    /// <param name="options">Age, priority and tags of new entries; the table's when left out.</param>
    /// <returns>The values of the keys that have one.</returns>
    /// <inheritdoc cref="GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/>
    public IReadOnlyDictionary<TKey, TValue> GetOrAddMany(
        IEnumerable<TKey> keys, Func<IReadOnlyList<TKey>, IReadOnlyDictionary<TKey, TValue>> factory, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(factory);
        ValueTask<Dictionary<TKey, TValue>> made = _manyFlights.GetOrAddManyAsync(
            keys, (missing, _) => new ValueTask<IReadOnlyDictionary<TKey, TValue>>(factory(missing)), isBlocking: true, options,
            CancellationToken.None);
        return made.IsCompletedSuccessfully ? made.Result : made.AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="GetOrAddMany(IEnumerable{TKey}, Func{IReadOnlyList{TKey}, IReadOnlyDictionary{TKey, TValue}}, EntryOptions)"/>
    /// <param name="keys">The keys; repeated ones count once.</param>
    /// <param name="factory">
    /// Makes the values of the keys that it is given. A key that is not in its result has no value: it is not kept, and not returned. Its
    /// token is cancelled when no caller waits any more.
    /// </param>
    /// <param name="options">Age, priority and tags of new entries; the table's when left out.</param>
    /// <param name="cancellationToken">Cancels this caller's wait only.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async ValueTask<IReadOnlyDictionary<TKey, TValue>> GetOrAddManyAsync(
        IEnumerable<TKey> keys, Func<IReadOnlyList<TKey>, CancellationToken, ValueTask<IReadOnlyDictionary<TKey, TValue>>> factory,
        EntryOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(factory);
        return await _manyFlights.GetOrAddManyAsync(
            keys, new ManyFactory<TKey, TValue>(factory), isBlocking: false, options, cancellationToken).ConfigureAwait(false);
    }

    private static void RequireLength(int expected, int actual, string name)
    {
        if (actual != expected)
            throw new ArgumentException($"There are {expected:N0} keys, but the span holds {actual:N0}; both must be equal.", name);
    }
}
