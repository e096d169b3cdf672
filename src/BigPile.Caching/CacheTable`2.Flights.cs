using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Caching.Flights;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>What a run of a factory needs of its table.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>The key as runs are told apart by it: where the table compares bytes, its bytes.</summary>
    internal FlightKey<TKey> FlightKeyOf(TKey key)
    {
        if (KeyCodec<TKey>.Kind != KeyKind.Object || _keys.HasComparer)
            return new FlightKey<TKey>(key, null);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return new FlightKey<TKey>(key, _keys.Probe(key, stack).Bytes.ToArray());
    }

    /// <summary>Begins a run for a key that is missing; <see langword="null"/> when it is there.</summary>
    internal FlightMark? BeginFlight(TKey key, EntryOptions? options)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        return Core.BeginFlight(_keys.Probe(key, stack), TableCore.TagHashesOf(options));
    }

    /// <summary>Puts what a run made, unless something newer has happened to the key.</summary>
    internal void PutMade(TKey key, TValue value, EntryOptions? options, FlightMark mark)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        _ = Put(_keys.Probe(key, stack), value, options, TableCore.Condition.Of(mark), out _);
    }

    /// <summary>Reads a value on behalf of a call whose hit or miss was counted.</summary>
    internal bool TryGetAgain(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        var reader = default(ValueReader);
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        if (Core.TryReadAgain(_keys.Probe(key, stack), ref reader, out _))
        {
            value = (TValue)reader.Complete(Core.Pile.Codec)!;
            return true;
        }
        reader.Release();
        value = default;
        return false;
    }
}
