using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Many keys at once; see <see cref="CacheTable{TKey, TValue}.ReadMany"/>.</summary>
public static partial class Utf8KeyExtensions
{
    /// <summary>What <see cref="ReadManyUtf8"/> says of a key that is missing.</summary>
    public const int Missing = -1;

    /// <summary>What <see cref="ReadManyUtf8"/> says of a value that there was no room for any more.</summary>
    public const int TooLong = -2;

    /// <summary>Copies values as they are stored to a writer, one behind another.</summary>
    /// <param name="table">The table.</param>
    /// <param name="keys">The keys in UTF-8, one behind another.</param>
    /// <param name="ends">Where each key ends in <paramref name="keys"/>.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="maxBytes">
    /// The most bytes to copy; a value that would go beyond is left out, and a shorter one behind it may still come.
    /// </param>
    /// <param name="lengths">
    /// Gets the bytes of each value, in the order of the keys, or <see cref="Missing"/> or <see cref="TooLong"/>. As long as the keys.
    /// </param>
    /// <param name="infos">Gets version, size and expiry of each entry that there is. As long as the keys.</param>
    /// <param name="cancellationToken">Ends the read between two groups of keys.</param>
    /// <returns>How many bytes were copied.</returns>
    /// <exception cref="ArgumentException">The spans are not of one length.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; what was copied so far stays in the destination.</exception>
    public static long ReadManyUtf8<TValue>(
        this CacheTable<string, TValue> table, ReadOnlySpan<byte> keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination,
        long maxBytes,
        Span<int> lengths, Span<EntryInfo> infos, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(destination);
        return ReadMany(table, keys, ends, destination, maxBytes, lengths, infos, isOfBytes: false, cancellationToken);
    }

    /// <summary>As <see cref="ReadManyUtf8"/>, where a value that is no bytes counts as empty.</summary>
    internal static long ReadManyBytesUtf8(
        this CacheTable<string, byte[]> table, ReadOnlySpan<byte> keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination,
        long maxBytes,
        Span<int> lengths, Span<EntryInfo> infos, CancellationToken cancellationToken = default) =>
        ReadMany(table, keys, ends, destination, maxBytes, lengths, infos, isOfBytes: true, cancellationToken);

    private static long ReadMany<TValue>(
        CacheTable<string, TValue> table, ReadOnlySpan<byte> keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination, long maxBytes,
        Span<int> lengths, Span<EntryInfo> infos, bool isOfBytes, CancellationToken cancellationToken)
    {
        if (lengths.Length != ends.Length || infos.Length != ends.Length)
            throw new ArgumentException($"There are {ends.Length:N0} keys, and room for {lengths.Length:N0} lengths and "
                + $"{infos.Length:N0} infos; all must be as many.");
        long copiedBytes = 0;
        int keyStart = 0;
        for (int start = 0; start < ends.Length; start += Prefetching.GroupKeys)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(Prefetching.GroupKeys, ends.Length - start);
            copiedBytes += ReadGroup(
                table, keys, keyStart, ends.Slice(start, count), destination, maxBytes - copiedBytes, lengths.Slice(start, count),
                infos.Slice(start, count), isOfBytes);
            keyStart = ends[start + count - 1];
        }
        return copiedBytes;
    }

    private static long ReadGroup<TValue>(
        CacheTable<string, TValue> table, ReadOnlySpan<byte> keys, int keyStart, ReadOnlySpan<int> ends, IBufferWriter<byte> destination,
        long maxBytes, Span<int> lengths, Span<EntryInfo> infos, bool isOfBytes)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        TableCore core = table.Core;
        Prefetch(table, keys, keyStart, ends, stack);
        long copiedBytes = 0;
        int roomBytes = Copying.FirstRoomBytes;
        for (int i = 0, from = keyStart; i < ends.Length; from = ends[i++])
        {
            KeyProbe key = table.KeyCodec.ProbeUtf8(keys[from..ends[i]], stack);
            lengths[i] = core.TryCopy(key, destination, maxBytes - copiedBytes, ref roomBytes, out infos[i], isOfBytes);
            copiedBytes += Math.Max(0, lengths[i]);
        }
        return copiedBytes;
    }

    private static void Prefetch<TValue>(
        CacheTable<string, TValue> table, ReadOnlySpan<byte> keys, int keyStart, ReadOnlySpan<int> ends, Span<byte> stack)
    {
        if (table.KeyCodec.RunsOthersCode)
            return;
        Span<ulong> hashes = stackalloc ulong[Prefetching.GroupKeys];
        ThreadPresence presence = table.Core.Enter();
        try
        {
            for (int i = 0, from = keyStart; i < ends.Length; from = ends[i++])
                hashes[i] = table.KeyCodec.ProbeUtf8(keys[from..ends[i]], stack).Hash;
            table.Core.PrefetchBuckets(hashes[..ends.Length]);
            table.Core.PrefetchEntries(hashes[..ends.Length]);
        }
        finally
        {
            table.Core.Pile.Exit(presence);
        }
    }
}
