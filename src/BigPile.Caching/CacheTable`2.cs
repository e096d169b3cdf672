using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.Events;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>A table from keys to objects. On a mapped pile it survives restarts.</summary>
/// <typeparam name="TKey">
/// The type of the keys. Text (ordinal), <see cref="long"/>, <see cref="int"/> and <see cref="Guid"/> are fast; keys of any other type are
/// equal when the codec gives the same bytes for them.
/// </typeparam>
/// <typeparam name="TValue">The type of the values; any that the pile can hold.</typeparam>
/// <remarks>
/// Keys and values live in the pile; the index is unmanaged memory. There is no managed object per entry. Every read creates a new object,
/// so changes to it do not affect the table.
/// Thread safety: all members may be called concurrently. Reads take no lock.
/// </remarks>
public sealed partial class CacheTable<TKey, TValue> : CacheTable
    where TKey : notnull
{
    private readonly TypedTable<TKey, TValue> _typed; // what the calls do, once keys are encoded
    private readonly KeyCodec<TKey> _keys; // encodes keys
    private readonly FlightTable<TKey, TValue> _flights; // runs factories
    private readonly ManyKeys<TKey, TValue> _many; // calls with many keys
    private readonly ManyFlights<TKey, TValue> _manyFlights; // runs factories for many keys
    private readonly RemovalListeners<TKey> _listeners; // of EntriesRemoved

    internal CacheTable(TableEngine engine) : base(engine)
    {
        _typed = new TypedTable<TKey, TValue>(engine);
        _keys = _typed.Keys;
        _flights = new FlightTable<TKey, TValue>(_typed, (IEqualityComparer<TKey>?)engine.KeyComparer);
        _many = new ManyKeys<TKey, TValue>(_typed);
        _manyFlights = new ManyFlights<TKey, TValue>(_typed, _flights, (IEqualityComparer<TKey>?)engine.KeyComparer);
        _listeners = new RemovalListeners<TKey>(engine.Events, engine.Heap.Background, engine.Name, _keys);
    }

    /// <summary>Reports entries that were evicted or expired: in batches, a little later, on a thread of the pool.</summary>
    /// <remarks>A listener's exception is logged. While a listener is 65,536 entries behind, further ones are not reported.</remarks>
    [SuppressMessage("Design", "CA1003", Justification = "A batch is no object that a sender would be of interest for.")]
    public event Action<IReadOnlyList<RemovedEntry<TKey>>> EntriesRemoved
    {
        add => _listeners.Add(value);
        remove => _listeners.Remove(value);
    }

    /// <inheritdoc/>
    public override Type KeyType => typeof(TKey);

    /// <summary>Gets a view of the table whose keys are spans of characters or UTF-8, so that no string is created.</summary>
    /// <typeparam name="TAlternateKey">
    /// <see cref="ReadOnlySpan{T}"/> of <see cref="char"/>, or of <see cref="byte"/> with keys in UTF-8.
    /// </typeparam>
    /// <exception cref="InvalidOperationException">The table's keys are not text, or the alternate keys are of another type.</exception>
    public AlternateLookup<TAlternateKey, TValue> GetAlternateLookup<TAlternateKey>()
        where TAlternateKey : notnull, allows ref struct =>
        AlternateLookups.Of<TKey, TAlternateKey, TValue>(_typed);

    internal TypedTable<TKey, TValue> Typed => _typed;

    /// <summary>The key codec. For tests.</summary>
    internal KeyCodec<TKey> KeyCodec => _keys;
}
