using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Readers;
using BigPile.Caching.Tables;

namespace BigPile.Caching;

/// <summary>Tables with text keys, for callers that hold the keys as UTF-8 already: no string is made.</summary>
/// <remarks>
/// The UTF-8 bytes of a text and the text itself are one key. Bytes that are no UTF-8 are no key, and a put refuses them.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public static partial class Utf8KeyExtensions
{
    /// <summary>
    /// Copies a value as it is stored to a writer; see
    /// <see cref="CacheTable{TKey, TValue}.TryRead(TKey, IBufferWriter{byte}, out EntryInfo)"/>.
    /// </summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="destination">Where the bytes go; untouched when the key is missing.</param>
    /// <param name="info">Version and size of the entry whose value was copied.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TryReadUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, IBufferWriter<byte> destination, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Typed.TryRead(table.KeyCodec.ProbeUtf8(key, stack), destination, out info);
    }

    /// <summary>Copies the first bytes of a value as it is stored, as many as there is room for.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="destination">Where the bytes go; none behind <paramref name="copiedBytes"/> counts.</param>
    /// <param name="copiedBytes">The bytes copied.</param>
    /// <param name="info">Version and size of the entry; the size is that of the whole value.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TryReadStartUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, Span<byte> destination, out int copiedBytes, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(table);
        scoped var reader = new StartReader(destination);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        bool found = table.Core.TryRead(table.KeyCodec.ProbeUtf8(key, stack), ref reader, out info);
        copiedBytes = found ? reader.CopiedBytes : 0;
        return found;
    }

    /// <summary>What is known of an entry, without its value.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TryGetInfoUtf8<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(table);
        var reader = default(SizeReader);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.TryRead(table.KeyCodec.ProbeUtf8(key, stack), ref reader, out info);
    }

    /// <summary>
    /// Puts bytes as a value; see <see cref="CacheTable{TKey, TValue}.PutBytes(TKey, ReadOnlySpan{byte}, out EntryInfo)"/>.
    /// </summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <exception cref="ArgumentException">The key is too long, or no UTF-8.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static PutResult PutBytesUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out EntryInfo info) =>
        table.PutBytesUtf8(key, value, null, out info);

    /// <summary>Puts bytes as a value, with options of its own.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <exception cref="ArgumentException">The key is too long, or no UTF-8, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static PutResult PutBytesUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, EntryOptions? options, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(table);
        RequireUtf8(key);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Typed.Put(
            table.KeyCodec.ProbeUtf8(key, stack), value, ValueKind.Bytes, options, Condition.None, out info)!.Value;
    }

    /// <summary>Removes a key and its value.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <returns>Whether the key was there.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool RemoveUtf8<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<byte> key)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.Remove(table.KeyCodec.ProbeUtf8(key, stack), Condition.None);
    }

    /// <summary>Uses an entry without reading it; see <see cref="CacheTable{TKey, TValue}.Touch(TKey)"/>.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <returns>Whether the table has the key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TouchUtf8<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<byte> key)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.Touch(table.KeyCodec.ProbeUtf8(key, stack));
    }
}
