using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
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
    /// <summary>Passes a value in place to a visitor; an empty span if it is not bytes.</summary>
    internal bool TryVisit<TVisitor>(TAlternateKey key, ref TVisitor visitor, out EntryInfo info)
        where TVisitor : struct, IValueVisitor
    {
        scoped var reader = new VisitingReader<TVisitor>(ref visitor);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _table.Core.Lookup.TryRead(Probe(key, stack), ref reader, out info);
    }

    /// <summary>As <see cref="TryReadStart(TAlternateKey, Span{byte}, out int, out EntryInfo)"/>.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">The destination.</param>
    /// <param name="bytesOnly">Whether a value that is not bytes counts as empty.</param>
    /// <param name="copiedBytes">The bytes copied.</param>
    /// <param name="info">Version and size of the entry; the size is that of the whole value.</param>
    internal bool TryReadStart(TAlternateKey key, Span<byte> destination, bool bytesOnly, out int copiedBytes, out EntryInfo info)
    {
        scoped var reader = new StartReader(destination, bytesOnly);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        bool found = _table.Core.Lookup.TryRead(Probe(key, stack), ref reader, out info);
        copiedBytes = found ? reader.CopiedBytes : 0;
        return found;
    }

    /// <summary>Leases a view of a value, without a copy.</summary>
    /// <param name="key">The key.</param>
    /// <param name="isUse">Whether it counts as a use, which makes the entry less likely to be evicted.</param>
    /// <param name="lease">The view.</param>
    /// <param name="info">Version and size of the entry.</param>
    internal bool TryLease(TAlternateKey key, bool isUse, [NotNullWhen(true)] out PileLease? lease, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _table.Core.Lease.TryLease(Probe(key, stack), out lease, out info, isUse) && lease != null;
    }

    /// <summary>Copies an entry's metadata. Not a use.</summary>
    internal bool TryPeek(TAlternateKey key, out EntryCopy entry)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _table.Core.Peek.TryPeek(Probe(key, stack), out entry);
    }

    /// <summary>Renews an entry's lifetime. Its value stays, and what the options leave out. It gets a new version.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The version that the entry must have; 0: any.</param>
    /// <param name="options">What changes; <see langword="null"/>: the entry never expires.</param>
    /// <param name="info">The renewed entry.</param>
    /// <returns>The result; <see langword="null"/> when there is no entry of this key and version.</returns>
    internal PutResult? Renew(TAlternateKey key, ulong version, EntryOptions? options, out EntryInfo info)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _table.Renew(Probe(key, stack), version, options, out info);
    }

    /// <summary>Puts bytes with exactly this spec, in system time, regardless of the table's options.</summary>
    internal PutResult PutExact(TAlternateKey key, ReadOnlySpan<byte> value, in EntrySpec spec, out EntryInfo info)
    {
        RequireText(key);
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        TableEngine engine = _table.Core;
        return engine.Put.Run(Probe(key, stack), value, ValueKind.Bytes, engine.Specs.InCacheTime(spec), Condition.None, out info)!.Value;
    }

    /// <summary>As <see cref="ReadMany"/>; with <paramref name="bytesOnly"/> a value that is not bytes counts as empty.</summary>
    internal long ReadGroups(
        TAlternateKey keys, ReadOnlySpan<int> ends, IBufferWriter<byte> destination, long maxBytes, Span<int> lengths,
        Span<EntryInfo> infos, bool bytesOnly, CancellationToken cancellationToken)
    {
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
            lengths[i] = ValueCopy.TryCopy(_table.Core, key, destination, maxBytes - copiedBytes, ref bufferBytes, out infos[i], bytesOnly);
            copiedBytes += Math.Max(0, lengths[i]);
        }
        return copiedBytes;
    }

    private void Prefetch(TAlternateKey keys, int first, ReadOnlySpan<int> ends, Span<byte> stack)
    {
        if (_table.Keys.RunsOthersCode)
            return;
        Span<ulong> hashes = stackalloc ulong[Tables.Prefetch.GroupKeys];
        using ReadScope scope = _table.Core.EnterReader();
        for (int i = 0, from = first; i < ends.Length; from = ends[i++])
            hashes[i] = Probe(Slice(keys, from, ends[i]), stack).Hash;
        _table.Core.Prefetch.Buckets(hashes[..ends.Length]);
        _table.Core.Prefetch.Entries(hashes[..ends.Length]);
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
