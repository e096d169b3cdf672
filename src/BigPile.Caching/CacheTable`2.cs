using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using BigPile.Blocks;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>A durable table: what was put stays until it is removed. On a mapped pile it comes back after a restart.</summary>
/// <typeparam name="TKey">The type of the keys: <see cref="string"/> (ordinal), <see cref="long"/> or <see cref="Guid"/>.</typeparam>
/// <typeparam name="TValue">The type of the values; any that the pile can hold.</typeparam>
/// <remarks>
/// Keys and values live in the pile; the index is unmanaged memory. No managed object exists per entry.
/// Thread safety: all members may be called concurrently. Reads take no lock.
/// </remarks>
public sealed class CacheTable<TKey, TValue> : CacheTable
    where TKey : notnull
{
    internal CacheTable(TableCore core) : base(core)
    {
    }

    /// <inheritdoc/>
    public override Type KeyType => typeof(TKey);

    /// <summary>The keys, in no order. Weakly consistent: one that stays during the whole walk comes once, or in rare cases twice while the table grows.</summary>
    public IEnumerable<TKey> Keys
    {
        get
        {
            var keys = new List<byte[]>();
            for (int part = 0; Core.TryCopyKeys(part, keys); part++)
            {
                foreach (byte[] key in keys)
                    yield return KeyCodec.Decode<TKey>(key);
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

    /// <summary>Reads a value, if the key is there.</summary>
    /// <returns><see langword="false"/> when the table has no such key, and for no other reason; a value that is null is found.</returns>
    /// <exception cref="InvalidCastException">The value is of another type.</exception>
    /// <exception cref="PileSerializationException">The value can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        var reader = default(ValueReader);
        Span<byte> stack = stackalloc byte[KeyCodec.StackBytes];
        if (Core.TryRead(KeyCodec.Encode(key, stack), ref reader, out _))
        {
            value = (TValue)reader.Complete(Core.Pile.Codec)!;
            return true;
        }
        reader.Release();
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
        ArgumentNullException.ThrowIfNull(destination);
        var reader = new WriterReader(destination);
        Span<byte> stack = stackalloc byte[KeyCodec.StackBytes];
        bool found = Core.TryRead(KeyCodec.Encode(key, stack), ref reader, out info);
        if (found)
            _ = reader.Complete();
        return found;
    }

    /// <summary>What is known of an entry, without its value.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGetInfo(TKey key, out EntryInfo info)
    {
        var reader = default(SizeReader);
        Span<byte> stack = stackalloc byte[KeyCodec.StackBytes];
        return Core.TryRead(KeyCodec.Encode(key, stack), ref reader, out info);
    }

    /// <summary>Whether the table has a key.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool ContainsKey(TKey key) => TryGetInfo(key, out _);

    /// <summary>Puts a value, in the place of one that the key may have had.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <exception cref="ArgumentException">The key is too long.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="PileSerializationException">The value holds something that has no place in a pile.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult Put(TKey key, TValue value)
    {
        switch (value)
        {
            case null:
                return Put(key, [], BlockKind.Free, out _);
            case byte[] bytes:
                return Put(key, bytes, BlockKind.Bytes, out _);
            default:
                return PutThroughBuffer(key, value);
        }
    }

    /// <summary>Puts bytes as a value. <c>Get</c> gives them back as a byte array.</summary>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <exception cref="ArgumentException">The key is too long.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult PutBytes(TKey key, ReadOnlySpan<byte> value, out EntryInfo info) => Put(key, value, BlockKind.Bytes, out info);

    /// <summary>Removes a key and its value.</summary>
    /// <returns>Whether the key was there.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Remove(TKey key)
    {
        Span<byte> stack = stackalloc byte[KeyCodec.StackBytes];
        return Core.Remove(KeyCodec.Encode(key, stack));
    }

    private PutResult PutThroughBuffer(TKey key, object value)
    {
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Core.Pile.Encode(value, buffer);
            return Put(key, buffer.WrittenSpan, kind, out _);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }

    private PutResult Put(TKey key, ReadOnlySpan<byte> value, BlockKind kind, out EntryInfo info)
    {
        Span<byte> stack = stackalloc byte[KeyCodec.StackBytes];
        return Core.Put(KeyCodec.Encode(key, stack), value, kind, out info);
    }
}
