using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Readers;

namespace BigPile.Caching;

/// <summary>Reads of tables with text keys for the service: one copy at most, to where the caller wants the bytes.</summary>
internal static class ValueVisits
{
    /// <summary>Shows the value of a key to a visitor.</summary>
    /// <returns><see langword="false"/> when the table has no such key; what the visitor got does not count then.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal static bool TryVisitUtf8<TValue, TVisitor>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, ref TVisitor visitor, out EntryInfo info)
        where TVisitor : struct, IValueVisitor
    {
        scoped var reader = new VisitingReader<TVisitor>(ref visitor);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.TryRead(table.KeyCodec.ProbeUtf8(key, stack), ref reader, out info);
    }

    /// <summary>Copies the first bytes of a value; one that is no bytes counts as empty.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal static bool TryReadBytesStartUtf8(
        this CacheTable<string, byte[]> table, ReadOnlySpan<byte> key, Span<byte> destination, out int copiedBytes, out EntryInfo info)
    {
        scoped var reader = new StartReader(destination, isOfBytes: true);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        bool found = table.Core.TryRead(table.KeyCodec.ProbeUtf8(key, stack), ref reader, out info);
        copiedBytes = found ? reader.CopiedBytes : 0;
        return found;
    }

    /// <summary>Gives a view of the value of a key, without a copy; see <see cref="CacheTable{TKey, TValue}.TryLease"/>.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key in UTF-8.</param>
    /// <param name="lease">The view.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <param name="isUse">Whether the entry is used, and so is worth more when another has to make room.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal static bool TryLeaseUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> key, [NotNullWhen(true)] out PileLease? lease, out EntryInfo info,
        bool isUse = true)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return table.Core.TryLease(table.KeyCodec.ProbeUtf8(key, stack), out lease, out info, isUse) && lease != null;
    }
}
