using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;

namespace BigPile.Caching;

/// <summary>Tables with text keys, for callers that hold a key as a part of other text: no string is made.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public static class TextKeyExtensions
{
    /// <summary>Reads a value, if the key is there; see <see cref="CacheTable{TKey, TValue}.TryGet(TKey, out TValue)"/>.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TryGet<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<char> key, [MaybeNullWhen(false)] out TValue value)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Typed.TryGet(table.KeyCodec.ProbeText(key, stack), 0, out value, out _);
    }

    /// <summary>Whether the table has a key.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool ContainsKey<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<char> key)
    {
        ArgumentNullException.ThrowIfNull(table);
        var reader = default(SizeReader);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.TryRead(table.KeyCodec.ProbeText(key, stack), ref reader, out _);
    }

    /// <summary>Puts a value; see <see cref="CacheTable{TKey, TValue}.Put(TKey, TValue, EntryOptions)"/>.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key; at most 4,096 bytes in UTF-8.</param>
    /// <param name="value">The value; null is a value.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static PutResult Put<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<char> key, TValue value, EntryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Typed.Put(table.KeyCodec.ProbeText(key, stack), value, options, Condition.None, out _)!.Value;
    }

    /// <summary>Removes a key and its value.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <returns>Whether the key was there.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool Remove<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<char> key)
    {
        ArgumentNullException.ThrowIfNull(table);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.Remove(table.KeyCodec.ProbeText(key, stack), Condition.None);
    }
}
