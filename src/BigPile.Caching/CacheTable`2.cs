using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
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
    private RemovalListeners<TKey, TValue>? _listeners; // of EntriesRemoved; made for the first one

    internal CacheTable(TableEngine engine) : base(engine)
    {
        _typed = new TypedTable<TKey, TValue>(engine);
        _keys = _typed.Keys;
        _flights = new FlightTable<TKey, TValue>(_typed, (IEqualityComparer<TKey>?)engine.KeyComparer);
        _many = new ManyKeys<TKey, TValue>(_typed);
        _manyFlights = new ManyFlights<TKey, TValue>(_typed, _flights, (IEqualityComparer<TKey>?)engine.KeyComparer);
    }

    /// <summary>Reports entries that were evicted or expired: in batches, a little later, on a thread of the pool.</summary>
    /// <remarks>
    /// A listener is a reader of the table's changes, of which a table without <see cref="TableOptions.FeedBytes"/> keeps the last 256 KiB
    /// from its first listener on. Where listeners are slower than the table, that they missed entries is logged, as their exceptions are.
    /// To miss none, read <see cref="Changes"/>.
    /// </remarks>
    [SuppressMessage("Design", "CA1003", Justification = "A batch is no object that a sender would be of interest for.")]
    public event Action<IReadOnlyList<RemovedEntry<TKey>>> EntriesRemoved
    {
        add => Listeners.Add(value);
        remove => Listeners.Remove(value);
    }

    /// <summary>
    /// Follows the table: every change in the order of versions, and before them, unless a cursor is given, the entries that there are.
    /// </summary>
    /// <remarks>
    /// <para>
    /// From <see cref="FeedCursor.Start"/> on come batches of the walk, with changes between them, then
    /// <see cref="ChangeBatchKind.WalkEnd"/>, and then changes for as long as the table lives. A cursor that was kept continues behind its
    /// batch, also in a later process. Each change comes at least once; none is left out in silence: a reader that was too slow for
    /// <see cref="TableOptions.FeedBytes"/>, or too long away, gets a <see cref="ChangeBatchKind.Gap"/>, and a walk.
    /// </para>
    /// <para>
    /// Readers hold nothing, and no call waits for one. Not told are: uses that extend a sliding expiry, moves to the spill file and back,
    /// and objects of the pile that are replaced or deleted by their pointers. An entry that expires is told when it is dropped, which
    /// reads and sweeps do.
    /// </para>
    /// </remarks>
    /// <param name="from">Where to begin: <see cref="FeedCursor.Start"/>, <see cref="FeedCursor.Now"/>, or a batch's cursor.</param>
    /// <param name="options">What the reader wants; by default changes without values.</param>
    /// <param name="stop">Ends the enumeration with <see cref="OperationCanceledException"/>.</param>
    /// <returns>Batches, each read when it is asked for; outside of all locks.</returns>
    /// <exception cref="ArgumentException">The options need a pile in files. As all of these, thrown when the first batch is asked
    /// for.</exception>
    /// <exception cref="InvalidOperationException">The table has no feed: <see cref="TableOptions.FeedBytes"/>.</exception>
    /// <exception cref="PileSerializationException">A key or value can't be read as objects.</exception>
    /// <exception cref="InvalidCastException">A value that was asked for is of another type.</exception>
    /// <exception cref="TableDroppedException">The table was dropped.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public async IAsyncEnumerable<ChangeBatch<TKey, TValue>> Changes(
        FeedCursor from = default, ChangeOptions? options = null, [EnumeratorCancellation] CancellationToken stop = default)
    {
        using var reader = new ChangeReader<TKey, TValue>(_typed, options ?? new ChangeOptions());
        await foreach (ChangeBatch<TKey, TValue> batch in reader.ReadAsync(from, stop).ConfigureAwait(false))
            yield return batch;
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

    private RemovalListeners<TKey, TValue> Listeners =>
        LazyInitializer.EnsureInitialized(ref _listeners, () => new RemovalListeners<TKey, TValue>(_typed));

    /// <summary>The key codec. For tests.</summary>
    internal KeyCodec<TKey> KeyCodec => _keys;
}
