using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching;

/// <summary>Puts, removals and other changes of single entries.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>Puts a value, replacing the key's present one.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns>The result, which tells whether entries of other keys were evicted.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="PileSerializationException">The value holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult Put(TKey key, TValue value, EntryOptions? options = null) => Put(key, value, options, out _);

    /// <summary>Puts a value, and gets its version.</summary>
    /// <inheritdoc cref="Put(TKey, TValue, EntryOptions)"/>
    public PutResult Put(TKey key, TValue value, EntryOptions? options, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Put(_keys.Probe(key, stack), value, options, Condition.None, out info);
    }

    /// <summary>Puts bytes as a value. <c>Get</c> gives them back as a byte array.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <exception cref="ArgumentException">The key is too long.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult PutBytes(TKey key, ReadOnlySpan<byte> value, out EntryInfo info) => PutBytes(key, value, null, out info);

    /// <inheritdoc cref="PutBytes(TKey, ReadOnlySpan{byte}, out EntryInfo)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="info">Version and size of the new entry.</param>
    public PutResult PutBytes(TKey key, ReadOnlySpan<byte> value, EntryOptions? options, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Put(_keys.Probe(key, stack), value, ValueKind.Bytes, options, Condition.None, out info);
    }

    /// <inheritdoc cref="PutBytes(TKey, ReadOnlySpan{byte}, out EntryInfo)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes, in one segment or several.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="info">Version and size of the new entry.</param>
    public PutResult PutBytes(TKey key, in ReadOnlySequence<byte> value, EntryOptions? options, out EntryInfo info)
    {
        if (value.IsSingleSegment)
            return PutBytes(key, value.FirstSpan, options, out info);
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        foreach (ReadOnlyMemory<byte> part in value)
            buffer.Write(part.Span);
        return PutBytes(key, buffer.WrittenSpan, options, out info);
    }

    /// <summary>Puts a value if the key's entry has the expected version.</summary>
    /// <remarks>
    /// Before the index is ready, the entries that it knows count as present, though invisible; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <param name="version">The version that the entry must have; 0: the key must be missing.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns><see langword="false"/> when the entry has another version, or was refused; nothing has changed then.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="PileSerializationException">The value holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Update(TKey key, TValue value, ulong version, out EntryInfo info, EntryOptions? options = null)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        PutResult result = _typed.Put(_keys.Probe(key, stack), value, options, Condition.Of(version), out info);
        return result is not (Condition.NotMet or PutResult.Collision);
    }

    /// <summary>Removes a key and its value.</summary>
    /// <returns>
    /// Whether the key was present. Before the index is ready, a key that it does not know yet is removed with <see langword="false"/>; one
    /// that it knows is removed with <see langword="true"/>, though reads do not show it yet and it may have been removed before.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Remove(TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Delete.Remove(_keys.Probe(key, stack), Condition.None);
    }

    /// <summary>Removes a key and its value if the entry has the expected version.</summary>
    /// <remarks>
    /// Before the index is ready, the entries that it knows count as present, though invisible; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="key">The key.</param>
    /// <param name="version">The version that the entry must have.</param>
    /// <returns>Whether the key was there with this version.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The version is 0.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Remove(TKey key, ulong version)
    {
        ArgumentOutOfRangeException.ThrowIfZero(version);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Delete.Remove(_keys.Probe(key, stack), Condition.Of(version));
    }

    /// <summary>Uses an entry without reading it: extends the expiry of a sliding entry, and changes nothing else.</summary>
    /// <returns>Whether the table has the key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Touch(TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Touch.TryTouch(_keys.Probe(key, stack));
    }

    /// <summary>Renews an entry's lifetime, as if its value had just been put. It gets a new version.</summary>
    /// <param name="key">The key.</param>
    /// <param name="options">
    /// What changes. What is left out stays: priority, tags (an empty collection removes them), sliding time. With neither an age nor an
    /// instant, the lifetime is as long as when the entry was put, unlimited if it had no end.
    /// </param>
    /// <returns>
    /// <see langword="false"/> when the table has no such key, or is at a limit and the entry with these options does not fit: it is
    /// unchanged then.
    /// </returns>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Touch(TKey key, EntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Renew(_keys.Probe(key, stack), version: 0, options, out _) is not (Condition.NotMet or PutResult.Collision);
    }
}
