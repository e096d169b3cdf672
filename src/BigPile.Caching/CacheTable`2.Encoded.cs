using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>Writing values that are encoded already.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>Puts a value of which the caller has the bytes as the pile stores them.</summary>
    internal PutResult PutEncoded(TKey key, ReadOnlySpan<byte> value, ValueKind kind, EntryOptions? options)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return Put(_keys.Probe(key, stack), value, kind, options, TableCore.Condition.None, out _)!.Value;
    }
}
