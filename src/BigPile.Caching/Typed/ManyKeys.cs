using System;
using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Typed;

/// <summary>Reads and changes many keys: the cache lines of a group are prefetched together.</summary>
/// <remarks>Codec code runs outside of critical regions, where it keeps no thread waiting.</remarks>
internal sealed class ManyKeys<TKey, TValue>(TypedTable<TKey, TValue> table)
    where TKey : notnull
{
    internal int Get(ReadOnlySpan<TKey> keys, Span<TValue?> values, Span<bool> found)
    {
        Debug.Assert(values.Length >= keys.Length && found.Length >= keys.Length, "Each key has its result.");
        int count = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % Tables.Prefetch.GroupKeys == 0)
                PrefetchFrom(keys, i);
            found[i] = table.TryGet(keys[i], out values[i]);
            count += found[i] ? 1 : 0;
        }
        return count;
    }

    internal int Read(ReadOnlySpan<TKey> keys, IBufferWriter<byte> destination, Span<int> lengths)
    {
        Debug.Assert(lengths.Length >= keys.Length, "Each key has its result.");
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        int count = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % Tables.Prefetch.GroupKeys == 0)
                PrefetchFrom(keys, i);
            bool isFound = table.TryRead(table.Keys.Probe(keys[i], stack), destination, out EntryInfo info);
            lengths[i] = isFound ? info.ValueBytes : ValueCopy.Missing;
            count += isFound ? 1 : 0;
        }
        return count;
    }

    internal void Put(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values, Span<PutResult> results, EntryOptions? options)
    {
        Debug.Assert(values.Length >= keys.Length && results.Length >= keys.Length, "Each key has its value and its result.");
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % Tables.Prefetch.GroupKeys == 0)
                PrefetchFrom(keys, i);
            results[i] = table.Put(table.Keys.Probe(keys[i], stack), values[i], options, Condition.None, out _);
        }
    }

    internal int Remove(ReadOnlySpan<TKey> keys)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        int count = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            if (i % Tables.Prefetch.GroupKeys == 0)
                PrefetchFrom(keys, i);
            count += table.Core.Delete.Remove(table.Keys.Probe(keys[i], stack), Condition.None) ? 1 : 0;
        }
        return count;
    }

    private void PrefetchFrom(ReadOnlySpan<TKey> keys, int first)
    {
        // Not for keys of a codec or a comparer of others: their code must not run in the region below.
        if (table.Keys.RunsOthersCode)
            return;
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        ReadOnlySpan<TKey> group = keys.Slice(first, Math.Min(Tables.Prefetch.GroupKeys, keys.Length - first));
        using ReadScope scope = table.Core.EnterReader();
        Prefetch(group, stack);
    }

    private void Prefetch(ReadOnlySpan<TKey> group, Span<byte> stack)
    {
        Debug.Assert(group.Length <= Tables.Prefetch.GroupKeys, "A group's hashes fit on the stack.");
        Span<ulong> hashes = stackalloc ulong[Tables.Prefetch.GroupKeys];
        for (int i = 0; i < group.Length; i++)
            hashes[i] = table.Keys.HashOf(group[i], stack); // each key is encoded again when it is read
        table.Core.Prefetch.Buckets(hashes[..group.Length]);
        table.Core.Prefetch.Entries(hashes[..group.Length]); // reads the buckets, which arrive together
    }
}
