using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;

namespace BigPile.Caching;

/// <summary>Puts, removals and other changes of single entries.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>Puts a value, in the place of one that the key may have had.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns>What became of it; in a speculative table, or at a limit, also what had to go for it.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was, but for a few entries that a limit let go.</exception>
    /// <exception cref="PileSerializationException">The value holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult Put(TKey key, TValue value, EntryOptions? options = null) => Put(key, value, options, out _);

    /// <summary>Puts a value, and tells the version that it got.</summary>
    /// <inheritdoc cref="Put(TKey, TValue, EntryOptions)"/>
    public PutResult Put(TKey key, TValue value, EntryOptions? options, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Put(_keys.Probe(key, stack), value, options, Condition.None, out info)!.Value;
    }

    /// <summary>Puts bytes as a value. <c>Get</c> gives them back as a byte array.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <exception cref="ArgumentException">The key is too long.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was, but for a few entries that a limit let go.</exception>
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
        return _typed.Put(_keys.Probe(key, stack), value, ValueKind.Bytes, options, Condition.None, out info)!.Value;
    }

    /// <inheritdoc cref="PutBytes(TKey, ReadOnlySpan{byte}, out EntryInfo)"/>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes, in one piece or several.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="info">Version and size of the new entry.</param>
    public PutResult PutBytes(TKey key, in ReadOnlySequence<byte> value, EntryOptions? options, out EntryInfo info)
    {
        if (value.IsSingleSegment)
            return PutBytes(key, value.FirstSpan, options, out info);
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            foreach (ReadOnlyMemory<byte> part in value)
                buffer.Write(part.Span);
            return PutBytes(key, buffer.WrittenSpan, options, out info);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }

    /// <summary>Puts a value if the key's entry is still the one that the caller knows.</summary>
    /// <remarks>
    /// Before the index is ready, what it knows counts as there, though reads do not show it yet; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <param name="version">The version that the entry must have; 0: the key must be missing.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns><see langword="false"/> when the entry has another version, or was refused; nothing has changed then.</returns>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was, but for a few entries that a limit let go.</exception>
    /// <exception cref="PileSerializationException">The value holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Update(TKey key, TValue value, ulong version, out EntryInfo info, EntryOptions? options = null)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        PutResult? result = _typed.Put(_keys.Probe(key, stack), value, options, Condition.Of(version), out info);
        return result is not (null or PutResult.Collision);
    }

    /// <summary>Removes a key and its value.</summary>
    /// <returns>
    /// Whether the key was there. Before the index is ready, a key that it does not know yet is removed and <see langword="false"/>; one
    /// that it knows is removed and <see langword="true"/>, though reads do not show it yet and it may have been removed before.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Remove(TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Remove(_keys.Probe(key, stack), Condition.None);
    }

    /// <summary>Removes a key and its value if the entry is still the one that the caller knows.</summary>
    /// <remarks>
    /// Before the index is ready, what it knows counts as there, though reads do not show it yet; see <see cref="CacheReadiness"/>.
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
        return Core.Remove(_keys.Probe(key, stack), Condition.Of(version));
    }

    /// <summary>Uses an entry without reading it: puts off its expiry if it is a sliding one, and changes nothing else of it.</summary>
    /// <returns>Whether the table has the key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Touch(TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Core.Touch(_keys.Probe(key, stack));
    }

    /// <summary>Begins an entry's lifetime anew, as if its value had just been put. It gets a new version.</summary>
    /// <param name="key">The key.</param>
    /// <param name="options">
    /// What is to be different. What is left out stays as the entry has it: priority, tags (an empty collection takes them away), sliding
    /// time; with neither an age nor an instant it lives as long again as when it was put, without an end if it had none.
    /// </param>
    /// <returns>
    /// <see langword="false"/> when the table has no such key, or is at a limit and has no room for the entry with these options: it is as
    /// it was then.
    /// </returns>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was, but for a few entries that a limit let go.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Touch(TKey key, EntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Renew(_keys.Probe(key, stack), version: 0, options, out _) is not (null or PutResult.Collision);
    }

    /// <summary>Puts a value of which the caller has the bytes as the pile stores them.</summary>
    internal PutResult PutEncoded(TKey key, ReadOnlySpan<byte> value, ValueKind kind, EntryOptions? options)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.Put(_keys.Probe(key, stack), value, kind, options, Condition.None, out _)!.Value;
    }
}
