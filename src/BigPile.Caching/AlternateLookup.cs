using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>A table with text keys, for callers that have keys as characters or UTF-8: no string is created.</summary>
/// <typeparam name="TAlternateKey">
/// <see cref="ReadOnlySpan{T}"/> of <see cref="char"/>, or of <see cref="byte"/> for UTF-8. Both name the same keys as strings. Bytes that
/// are not UTF-8 match no key, and a put refuses them.
/// </typeparam>
/// <typeparam name="TValue">The type of the values.</typeparam>
/// <remarks>
/// See <see cref="CacheTable{TKey, TValue}.GetAlternateLookup{TAlternateKey}"/>. Each member is that of the table with the same name.
/// Thread safety: all members may be called concurrently.
/// </remarks>
[SuppressMessage("Performance", "CA1815", Justification = "Lookups are not compared.")]
public readonly partial struct AlternateLookup<TAlternateKey, TValue>
    where TAlternateKey : notnull, allows ref struct
{
    /// <summary>The length that <c>ReadMany</c> and <see cref="Read"/> report for a missing key.</summary>
    public const int Missing = ValueCopy.Missing;

    /// <summary>The length that <c>ReadMany</c> and <see cref="Read"/> report for a value beyond the byte limit.</summary>
    public const int TooLong = ValueCopy.TooLong;

    private readonly TypedTable<string, TValue> _table;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal AlternateLookup(TypedTable<string, TValue> table) => _table = table;

    private TypedTable<string, TValue> Table => _table ?? throw NoTable();

    /// <inheritdoc cref="CacheTable{TKey, TValue}.TryGet(TKey, out TValue)"/>
    public bool TryGet(TAlternateKey key, [MaybeNullWhen(false)] out TValue value) => TryGet(key, out value, out _);

    /// <inheritdoc cref="CacheTable{TKey, TValue}.TryGet(TKey, out TValue, out EntryInfo)"/>
    public bool TryGet(TAlternateKey key, [MaybeNullWhen(false)] out TValue value, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.TryGet(Probe(key, stack), 0, out value, out info);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.TryRead(TKey, IBufferWriter{byte}, out EntryInfo)"/>
    public bool TryRead(TAlternateKey key, IBufferWriter<byte> destination, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.TryRead(Probe(key, stack), destination, out info);
    }

    /// <summary>Copies the first bytes of a value, as stored, as many as fit.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">The destination; bytes behind <paramref name="copiedBytes"/> are undefined.</param>
    /// <param name="copiedBytes">The bytes copied.</param>
    /// <param name="info">Version and size of the entry; the size is that of the whole value.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryReadStart(TAlternateKey key, Span<byte> destination, out int copiedBytes, out EntryInfo info) =>
        TryReadStart(key, destination, bytesOnly: false, out copiedBytes, out info);

    /// <inheritdoc cref="CacheTable{TKey, TValue}.TryGetInfo"/>
    public bool TryGetInfo(TAlternateKey key, out EntryInfo info)
    {
        var reader = default(SizeReader);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Core.Lookup.TryRead(Probe(key, stack), ref reader, out info);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.ContainsKey"/>
    public bool ContainsKey(TAlternateKey key) => TryGetInfo(key, out _);

    /// <inheritdoc cref="CacheTable{TKey, TValue}.TryLease"/>
    public bool TryLease(TAlternateKey key, [NotNullWhen(true)] out PileLease? lease, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Core.Lease.TryLease(Probe(key, stack), out lease, out info);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.Put(TKey, TValue, EntryOptions)"/>
    public PutResult Put(TAlternateKey key, TValue value, EntryOptions? options = null)
    {
        RequireText(key);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Put(Probe(key, stack), value, options, Condition.None, out _);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.PutBytes(TKey, ReadOnlySpan{byte}, out EntryInfo)"/>
    public PutResult PutBytes(TAlternateKey key, ReadOnlySpan<byte> value, out EntryInfo info) => PutBytes(key, value, null, out info);

    /// <inheritdoc cref="CacheTable{TKey, TValue}.PutBytes(TKey, ReadOnlySpan{byte}, EntryOptions, out EntryInfo)"/>
    public PutResult PutBytes(TAlternateKey key, ReadOnlySpan<byte> value, EntryOptions? options, out EntryInfo info)
    {
        RequireText(key);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Put(Probe(key, stack), value, ValueKind.Bytes, options, Condition.None, out info);
    }

    /// <summary>Puts bytes as a value if the key's entry has the expected version.</summary>
    /// <remarks>
    /// Before the index is ready, the entries that it knows count as present, though invisible; see <see cref="CacheReadiness"/>.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes in UTF-8.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="version">The version that the entry must have; 0: the key must be missing.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <param name="result">The result, which may be a refusal.</param>
    /// <param name="info">Version and size of the new entry.</param>
    /// <returns><see langword="false"/> when the entry has another version; nothing has changed then.</returns>
    /// <exception cref="ArgumentException">The key is too long, or no UTF-8, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryPutBytes(
        TAlternateKey key, ReadOnlySpan<byte> value, ulong version, EntryOptions? options, out PutResult result, out EntryInfo info)
    {
        RequireText(key);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        result = Table.Put(Probe(key, stack), value, ValueKind.Bytes, options, Condition.Of(version), out info);
        return Condition.WasMet(ref result);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.Remove(TKey)"/>
    public bool Remove(TAlternateKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Core.Delete.Remove(Probe(key, stack), Condition.None);
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.Remove(TKey, ulong)"/>
    public bool Remove(TAlternateKey key, ulong version)
    {
        ArgumentOutOfRangeException.ThrowIfZero(version);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Core.Delete.Remove(Probe(key, stack), Condition.Of(version));
    }

    /// <inheritdoc cref="CacheTable{TKey, TValue}.Touch(TKey)"/>
    public bool Touch(TAlternateKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Core.Touch.TryTouch(Probe(key, stack));
    }

    /// <summary>Copies the values of many keys, as stored, one after another.</summary>
    /// <param name="keys">The keys, one after another.</param>
    /// <param name="ends">Where each key ends in <paramref name="keys"/>.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="maxBytes">
    /// The maximum number of bytes in all. A value that would exceed it is left out; shorter ones after it are not.
    /// </param>
    /// <param name="lengths">
    /// Receives the length of each value; <see cref="Missing"/> where a key is missing, <see cref="TooLong"/> where a value was left out.
    /// </param>
    /// <param name="infos">Receives version and size of each entry.</param>
    /// <param name="cancellationToken">Cancels the call between groups of keys.</param>
    /// <returns>The bytes that were copied.</returns>
    /// <exception cref="ArgumentException">There are not as many lengths and infos as keys.</exception>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public long ReadMany(
        TAlternateKey keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination, long maxBytes, Span<int> lengths,
        Span<EntryInfo> infos, CancellationToken cancellationToken = default) =>
        ReadMany(keys, ends, destination, maxBytes, bytesOnly: false, lengths, infos, cancellationToken);

    private static InvalidOperationException NoTable() =>
        new("The lookup is of no table, as default(AlternateLookup) is. Get one by the table's GetAlternateLookup, ByUtf8 or ByText.");

    // The type is known to the JIT, which drops the other branch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private KeyProbe Probe(TAlternateKey key, Span<byte> stack) =>
        typeof(TAlternateKey) == typeof(ReadOnlySpan<byte>)
            ? Table.Keys.ProbeUtf8(Unsafe.As<TAlternateKey, ReadOnlySpan<byte>>(ref key), stack)
            : Table.Keys.ProbeText(Unsafe.As<TAlternateKey, ReadOnlySpan<char>>(ref key), stack);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void RequireText(TAlternateKey key)
    {
        if (typeof(TAlternateKey) == typeof(ReadOnlySpan<byte>))
            TextKey.RequireUtf8(Unsafe.As<TAlternateKey, ReadOnlySpan<byte>>(ref key));
    }
}
