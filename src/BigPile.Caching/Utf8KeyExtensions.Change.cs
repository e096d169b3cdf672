using System;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;

namespace BigPile.Caching;

/// <summary>Changes of entries that the caller knows.</summary>
public static partial class Utf8KeyExtensions
{
    /// <summary>Puts bytes as a value if the key's entry is still the one that the caller knows.</summary>
    /// <remarks>
    /// Before the index is ready, what it knows counts as there, though reads do not show it yet; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8; at most 4,096 bytes.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="version">The version that the entry must have; 0: the key must be missing.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="result">What became of the value, which may be that it was refused.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <returns><see langword="false"/> when the entry has another version; nothing has changed then.</returns>
    /// <exception cref="ArgumentException">The key is too long, or no UTF-8, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool TryPutBytesUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, ulong version, EntryOptions? options,
        out PutResult result, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(table);
        RequireUtf8(key);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        PutResult? done = table.Typed.Put(
            table.KeyCodec.ProbeUtf8(key, stack), value, ValueKind.Bytes, options, Condition.Of(version), out info);
        result = done.GetValueOrDefault();
        return done != null;
    }

    /// <summary>Removes a key and its value if the entry is still the one that the caller knows.</summary>
    /// <remarks>
    /// Before the index is ready, what it knows counts as there, though reads do not show it yet; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="version">The version that the entry must have.</param>
    /// <returns>Whether the key was there with this version.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The version is 0.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static bool RemoveUtf8<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ulong version)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentOutOfRangeException.ThrowIfZero(version);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.Remove(table.KeyCodec.ProbeUtf8(key, stack), Condition.Of(version));
    }

    /// <summary>What is known of an entry, without its value and without counting as a use.</summary>
    internal static bool TryLookUtf8<TValue>(this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, out EntryCopy entry)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.TryLook(table.KeyCodec.ProbeUtf8(key, stack), out entry);
    }

    /// <summary>Gives an entry another lifetime, while its value, priority and tags stay. It gets a new version.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="version">The version that the entry must have; 0: any.</param>
    /// <param name="lifetime">The lifetime.</param>
    /// <param name="info">The entry as it is now.</param>
    /// <returns>What became of it; <see langword="null"/> when there is no entry of this key and version.</returns>
    internal static PutResult? RenewUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ulong version, in EntryLifetime lifetime, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Typed.Renew(table.KeyCodec.ProbeUtf8(key, stack), version, lifetime, out info);
    }

    /// <summary>Puts bytes exactly as stated, whatever the table's defaults are.</summary>
    internal static PutResult PutExactUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, in EntrySpec spec, out EntryInfo info)
    {
        RequireUtf8(key);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.Put(
            table.KeyCodec.ProbeUtf8(key, stack), value, ValueKind.Bytes, table.Core.InCacheTime(spec), Condition.None,
            out info)!.Value;
    }

    private static void RequireUtf8(ReadOnlySpan<byte> key)
    {
        if (!Utf8.IsValid(key))
            throw new ArgumentException("The key is no valid UTF-8.", nameof(key));
    }
}
