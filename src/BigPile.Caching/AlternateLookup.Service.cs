using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Readers;
using BigPile.Caching.Tables;
using BigPile.Caching.Typed;

namespace BigPile.Caching;

/// <summary>Operations for a service, with keys as they arrive over the wire.</summary>
public readonly partial struct AlternateLookup<TAlternateKey, TValue>
{
    /// <summary>Copies a value as it is stored to a writer, if it is not too long: from the pile to the writer's buffer, once.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where the bytes go; it is not advanced when there are none.</param>
    /// <param name="maxBytes">A longer value is not copied.</param>
    /// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <returns>The bytes copied; <see cref="Missing"/> or <see cref="TooLong"/> otherwise.</returns>
    /// <exception cref="ArgumentException">The writer gave a smaller buffer than it was asked for.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int Read(TAlternateKey key, IBufferWriter<byte> destination, int maxBytes, bool bytesOnly, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(destination);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        int bufferBytes = ValueCopy.InitialBufferBytes;
        return ValueCopy.TryCopy(Table.Core, Probe(key, stack), destination, maxBytes, ref bufferBytes, out info, bytesOnly);
    }

    /// <inheritdoc cref="TryReadStart(TAlternateKey, Span{byte}, out int, out EntryInfo)"/>
    /// <param name="key">The key.</param>
    /// <param name="destination">The destination; bytes behind <paramref name="copiedBytes"/> are undefined.</param>
    /// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
    /// <param name="copiedBytes">The bytes copied.</param>
    /// <param name="info">Version and size of the entry; the size is that of the whole value.</param>
    public bool TryReadStart(TAlternateKey key, Span<byte> destination, bool bytesOnly, out int copiedBytes, out EntryInfo info)
    {
        scoped var reader = new StartReader(destination, bytesOnly);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        bool found = Table.Core.Lookup.TryRead(Probe(key, stack), ref reader, out info);
        copiedBytes = found ? reader.CopiedBytes : 0;
        return found;
    }

    /// <summary>Copies an entry's metadata. Not a use, and neither a hit nor a miss.</summary>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryPeek(TAlternateKey key, out StoredEntry entry)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        bool found = Table.Core.Peek.TryPeek(Probe(key, stack), out EntryCopy copy);
        entry = found ? new StoredEntry(copy, Table.Core.Clock) : default;
        return found;
    }

    /// <summary>
    /// Copies an entry's metadata, and leases a view of its value, both of one version. Not a use, and neither a hit nor a miss.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="entry">The metadata.</param>
    /// <param name="lease">The view. Dispose it soon; its bytes do not change, whatever happens to the entry.</param>
    /// <returns><see langword="false"/> when the table has no such key.</returns>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryPeek(TAlternateKey key, out StoredEntry entry, [NotNullWhen(true)] out PileLease? lease)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        while (TryPeek(key, out entry) && Table.Core.Lease.TryLease(Probe(key, stack), out lease, out EntryInfo info, isUse: false)
            && lease != null)
        {
            if (info.Version == entry.Info.Version)
                return true;
            lease.Dispose(); // replaced between the two
        }
        entry = default;
        lease = null;
        return false;
    }

    /// <summary>Renews an entry's lifetime if it has the expected version. Its value stays. It gets a new version.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The version that the entry must have; 0: any.</param>
    /// <param name="options">
    /// What changes, as in <see cref="CacheTable{TKey, TValue}.Touch(TKey, EntryOptions)"/>; <see langword="null"/>: the entry never
    /// expires.
    /// </param>
    /// <param name="result">The result, which may be a refusal.</param>
    /// <param name="info">Version and size of the renewed entry.</param>
    /// <returns><see langword="false"/> when there is no entry of this key and version.</returns>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryTouch(TAlternateKey key, ulong version, EntryOptions? options, out PutResult result, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        result = Table.Renew(Probe(key, stack), version, options, out info);
        return Condition.WasMet(ref result);
    }

    /// <summary>Puts bytes with exactly these attributes, whatever the table's options are: a copy of another cache's entry.</summary>
    /// <inheritdoc cref="PutBytes(TAlternateKey, ReadOnlySpan{byte}, EntryOptions, out EntryInfo)"/>
    /// <param name="key">The key; at most 4,096 bytes in UTF-8.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="attributes">Lifetime, priority and tags.</param>
    /// <param name="info">Version and size of the new entry.</param>
    public PutResult PutBytes(TAlternateKey key, ReadOnlySpan<byte> value, in EntryAttributes attributes, out EntryInfo info)
    {
        RequireText(key);
        attributes.Validate(nameof(attributes));
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        TableEngine engine = Table.Core;
        EntrySpec spec = engine.Specs.InCacheTime(attributes.ToSpec());
        return engine.Put.Run(Probe(key, stack), value, ValueKind.Bytes, spec, Condition.None, out info);
    }

    /// <summary>Puts a value that is encoded already, so that its size is known first, or its bytes serve for something else too.</summary>
    /// <inheritdoc cref="PutBytes(TAlternateKey, ReadOnlySpan{byte}, EntryOptions, out EntryInfo)"/>
    /// <param name="key">The key; at most 4,096 bytes in UTF-8.</param>
    /// <param name="value">
    /// An object as the codec of the pile's <see cref="PileEncoding"/> has serialized it, text in UTF-8, or bytes. An object's bytes are
    /// not checked: if they are wrong, reads throw <see cref="PileSerializationException"/>.
    /// </param>
    /// <param name="kind">What it is.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is neither an object nor text nor bytes.</exception>
    public PutResult PutEncoded(TAlternateKey key, ReadOnlySpan<byte> value, PayloadKind kind, EntryOptions? options = null)
    {
        if (kind is not (PayloadKind.Object or PayloadKind.String or PayloadKind.Bytes))
            throw new ArgumentOutOfRangeException(nameof(kind), kind, "A value is an object, a string or bytes.");
        if (kind == PayloadKind.String && !Utf8.IsValid(value))
            throw new ArgumentException("The text is not UTF-8.", nameof(value));
        RequireText(key);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return Table.Put(Probe(key, stack), value, (ValueKind)kind, options, Condition.None, out _);
    }

    /// <summary>As the other overload; a value that is not bytes may count as empty.</summary>
    /// <param name="keys">The keys, one after another.</param>
    /// <param name="ends">Where each key ends in <paramref name="keys"/>.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="maxBytes">The maximum number of bytes in all.</param>
    /// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
    /// <param name="lengths">Receives the length of each value, <see cref="Missing"/> or <see cref="TooLong"/>.</param>
    /// <param name="infos">Receives version and size of each entry.</param>
    /// <param name="cancellationToken">Cancels the call between groups of keys.</param>
    public long ReadMany(
        TAlternateKey keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination, long maxBytes, bool bytesOnly, Span<int> lengths,
        Span<EntryInfo> infos, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (lengths.Length != ends.Length || infos.Length != ends.Length)
            throw new ArgumentException($"There are {ends.Length:N0} keys, but {lengths.Length:N0} lengths and "
                + $"{infos.Length:N0} infos; all three must be equal.");
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        long copiedBytes = 0;
        int bufferBytes = ValueCopy.InitialBufferBytes;
        for (int i = 0, from = 0; i < ends.Length; from = ends[i++])
        {
            if (i % Tables.Prefetch.GroupKeys == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                bufferBytes = ValueCopy.InitialBufferBytes;
                Prefetch(keys, from, ends.Slice(i, Math.Min(Tables.Prefetch.GroupKeys, ends.Length - i)), stack);
            }
            KeyProbe key = Probe(Slice(keys, from, ends[i]), stack);
            lengths[i] = ValueCopy.TryCopy(Table.Core, key, destination, maxBytes - copiedBytes, ref bufferBytes, out infos[i], bytesOnly);
            copiedBytes += Math.Max(0, lengths[i]);
        }
        return copiedBytes;
    }

    private void Prefetch(TAlternateKey keys, int first, ReadOnlySpan<int> ends, Span<byte> stack)
    {
        if (Table.Keys.RunsOthersCode)
            return;
        Span<ulong> hashes = stackalloc ulong[Tables.Prefetch.GroupKeys];
        using ReadScope scope = Table.Core.EnterReader();
        for (int i = 0, from = first; i < ends.Length; from = ends[i++])
            hashes[i] = Probe(Slice(keys, from, ends[i]), stack).Hash;
        Table.Core.Prefetch.Buckets(hashes[..ends.Length]);
        Table.Core.Prefetch.Entries(hashes[..ends.Length]);
    }

    private static TAlternateKey Slice(TAlternateKey keys, int from, int end)
    {
        if (typeof(TAlternateKey) == typeof(ReadOnlySpan<byte>))
        {
            ReadOnlySpan<byte> bytes = Unsafe.As<TAlternateKey, ReadOnlySpan<byte>>(ref keys)[from..end];
            return Unsafe.As<ReadOnlySpan<byte>, TAlternateKey>(ref bytes);
        }
        ReadOnlySpan<char> text = Unsafe.As<TAlternateKey, ReadOnlySpan<char>>(ref keys)[from..end];
        return Unsafe.As<ReadOnlySpan<char>, TAlternateKey>(ref text);
    }
}
