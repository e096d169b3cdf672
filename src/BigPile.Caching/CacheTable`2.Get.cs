using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>Reads of values and of metadata.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>The keys, in no order. Weakly consistent: one that stays during the whole walk comes once.</summary>
    public IEnumerable<TKey> Keys => Entries.Select(static entry => entry.Key);

    /// <summary>
    /// The entries without their values, in no order. Weakly consistent: one that stays during the whole walk comes once.
    /// </summary>
    public IEnumerable<TableEntry<TKey>> Entries
    {
        get
        {
            var found = new List<EntryCopy>();
            for (ulong place = 0; place < WalkPlace.End;)
            {
                place = Core.Peek.CopyBucketAt(place, found);
                foreach (EntryCopy copy in found)
                    yield return _typed.Describe(copy);
            }
        }
    }

    /// <summary>Reads a value.</summary>
    /// <exception cref="KeyNotFoundException">The table has no such key.</exception>
    /// <exception cref="InvalidCastException">The value is of another type.</exception>
    /// <exception cref="PileSerializationException">The value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public TValue Get(TKey key) =>
        TryGet(key, out TValue? value) ? value : throw new KeyNotFoundException($"The table '{Name}' has no key '{key}'.");

    /// <summary>Reads a value that is not too old.</summary>
    /// <param name="key">The key.</param>
    /// <param name="notOlderThan">The most time since the value was put; from zero.</param>
    /// <exception cref="KeyNotFoundException">The table has no such key, or an older value.</exception>
    /// <exception cref="InvalidCastException">The value is of another type.</exception>
    /// <exception cref="PileSerializationException">The value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public TValue Get(TKey key, TimeSpan notOlderThan) =>
        TryGet(key, notOlderThan, out TValue? value)
            ? value
            : throw new KeyNotFoundException($"The table '{Name}' has no key '{key}' with a value that is not older than {notOlderThan}.");

    /// <summary>Reads a value, if the key is there.</summary>
    /// <returns><see langword="false"/> when the table has no such key, and for no other reason; a value that is null is found.</returns>
    /// <exception cref="InvalidCastException">The value is of another type.</exception>
    /// <exception cref="PileSerializationException">The value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.TryGet(_keys.Probe(key, stack), 0, out value, out _);
    }

    /// <summary>Reads a value with its version and size, if the key is there.</summary>
    /// <inheritdoc cref="TryGet(TKey, out TValue)"/>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.TryGet(_keys.Probe(key, stack), 0, out value, out info);
    }

    /// <summary>Reads a value, if the key is there and its value is not too old.</summary>
    /// <param name="key">The key.</param>
    /// <param name="notOlderThan">The most time since the value was put; from zero.</param>
    /// <param name="value">The value.</param>
    /// <returns><see langword="false"/> when the table has no such key, or an older value.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="InvalidCastException">The value is of another type.</exception>
    /// <exception cref="PileSerializationException">The value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet(TKey key, TimeSpan notOlderThan, [MaybeNullWhen(false)] out TValue value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(notOlderThan, TimeSpan.Zero);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        if (_typed.TryGet(_keys.Probe(key, stack), Core.Clock.LowestVersion(notOlderThan), out value, out EntryInfo info)
            && (!Core.Clock.HasSteps || Core.Clock.Now - Core.Clock.PutAt(info.Version) <= notOlderThan.Ticks))
        {
            return true;
        }
        value = default;
        return false;
    }

    /// <summary>Copies a value as it is stored to a writer: bytes and text (UTF-8) as they are, objects in the codec's format.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the bytes go; untouched when the key is missing.</param>
    /// <param name="info">Version and size of the entry whose value was copied.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryRead(TKey key, IBufferWriter<byte> destination, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.TryRead(_keys.Probe(key, stack), destination, out info);
    }

    /// <summary>Copies a value as it is stored to a writer; see <see cref="TryRead(TKey, IBufferWriter{byte}, out EntryInfo)"/>.</summary>
    /// <returns><see langword="false"/> when the table has no such key; the writer is untouched then.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet(TKey key, IBufferWriter<byte> destination) => TryRead(key, destination, out _);

    /// <summary>Copies a value as it is stored, if it fits.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the bytes go; when the value is larger, nothing in it counts.</param>
    /// <param name="info">Version and size of the entry: the size tells whether the value fitted.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryRead(TKey key, Span<byte> destination, out EntryInfo info)
    {
        scoped var reader = new SpanReader(destination);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Lookup.TryRead(_keys.Probe(key, stack), ref reader, out info);
    }

    /// <summary>Gets an entry's version and size, without its value. Counts as a use.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGetInfo(TKey key, out EntryInfo info)
    {
        var reader = default(SizeReader);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Lookup.TryRead(_keys.Probe(key, stack), ref reader, out info);
    }

    /// <summary>Gets an entry's metadata, without its value. Does not count as a use.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGetEntry(TKey key, out TableEntry<TKey> entry)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        bool found = Core.Peek.TryPeek(_keys.Probe(key, stack), out EntryCopy copy);
        entry = found ? _typed.Describe(copy) : default;
        return found;
    }

    /// <summary>Whether the table has a key. Counts as a use.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool ContainsKey(TKey key) => TryGetInfo(key, out _);

    /// <summary>Leases a view of a value, as stored, without a copy. Counts as a use.</summary>
    /// <param name="key">The key.</param>
    /// <param name="lease">The view. Dispose it soon; its bytes do not change, whatever happens to the entry.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryLease(TKey key, [NotNullWhen(true)] out PileLease? lease, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Lease.TryLease(_keys.Probe(key, stack), out lease, out info);
    }
}
