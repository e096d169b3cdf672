using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Readers;
using BigPile.Caching.Tables;
using BigPile.Layout;

namespace BigPile.Caching.Typed;

/// <summary>A typed facade over a table: what a public call does once its key is encoded.</summary>
internal sealed partial class TypedTable<TKey, TValue>
    where TKey : notnull
{
    internal TypedTable(TableEngine engine)
    {
        Core = engine;
        var comparer = (IEqualityComparer<TKey>?)engine.KeyComparer;
        Keys = new KeyCodec<TKey>(engine.Heap, engine.KeyKind, engine.Hash, comparer, engine.Comparison.CopyKeys);
        if (comparer != null)
            engine.Shrink.HashBy(Keys.HashByComparer);
    }

    internal TableEngine Core { get; }

    internal KeyCodec<TKey> Keys { get; }

    internal bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return TryGet(Keys.Probe(key, stack), 0, out value, out _);
    }

    /// <summary>Reads a value of at least this version.</summary>
    internal bool TryGet(in KeyProbe key, ulong minVersion, [MaybeNullWhen(false)] out TValue value, out EntryInfo info)
    {
        var reader = default(ValueReader);
        if (Core.Lookup.TryRead(key, ref reader, minVersion, out info))
        {
            value = Complete(ref reader, key);
            return true;
        }
        reader.Release();
        value = default;
        return false;
    }

    /// <summary>Copies a value, as stored, to a writer.</summary>
    internal bool TryRead(in KeyProbe key, IBufferWriter<byte> destination, out EntryInfo info)
    {
        ArgumentNullException.ThrowIfNull(destination);
        int bufferBytes = ValueCopy.InitialBufferBytes;
        return ValueCopy.TryCopy(Core, key, destination, long.MaxValue, ref bufferBytes, out info) >= 0;
    }

    internal PutResult Put(in KeyProbe key, TValue value, EntryOptions? options, Condition condition, out EntryInfo info)
    {
        switch (value)
        {
            case null:
                return Put(key, [], ValueKind.Null, options, condition, out info);
            case byte[] bytes when ObjectStore.IsBytes(bytes):
                return Put(key, bytes, ValueKind.Bytes, options, condition, out info);
            default:
                return PutThroughBuffer(key, value, options, condition, out info);
        }
    }

    internal PutResult Put(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, EntryOptions? options, Condition condition, out EntryInfo info)
    {
        if (options == null && Core.PutsPlain)
            // The usual put: no clock, no tags, no extension of the head.
            return Core.Put.Run(key, value, kind, EntrySpec.Plain, condition, out info);
        return (options?.KeepsLifetime ?? Core.Options.KeepsLifetime) && !condition.IsOfFlight // what a factory makes begins a new one
            ? PutOver(options, key, value, kind, condition, out info)
            : PutWith(options, key, value, kind, condition, out info);
    }

    // A method of its own: with its buffer in the frame, the usual put was 3 % slower.
    private PutResult PutWith(
        EntryOptions? options, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, Condition condition, out EntryInfo info)
    {
        Span<ulong> tagBuffer = stackalloc ulong[EntryHead.MaxTags];
        return Core.Put.Run(key, value, kind, Core.Specs.SpecOf(options, kind == ValueKind.Null, tagBuffer), condition, out info);
    }

    // Keeps the lifetime of the entry that it replaces. The put's condition tells whether that is still the one that was looked at.
    private PutResult PutOver(
        EntryOptions? options, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, Condition condition, out EntryInfo info)
    {
        Span<ulong> tagBuffer = stackalloc ulong[EntryHead.MaxTags];
        while (Core.Peek.TryPeek(key, out EntryCopy entry))
        {
            if (!condition.IsNone && !condition.IsMetBy(entry.Info.Version))
            {
                info = default;
                return Condition.NotMet;
            }
            EntrySpec spec = Core.Specs.SpecOver(entry, options, tagBuffer);
            PutResult result = Core.Put.Run(key, value, kind, spec, Condition.Of(entry.Info.Version), out info);
            if (result != Condition.NotMet)
                return result;
        }
        return PutWith(options, key, value, kind, condition, out info); // of two that find none the later put counts, as without this
    }

    /// <summary>Renews an entry's lifetime. Its value stays, and what the options leave out.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The version that the entry must have; 0: any.</param>
    /// <param name="options">What changes; <see langword="null"/>: the entry never expires.</param>
    /// <param name="info">The renewed entry.</param>
    /// <returns>The result, or <see cref="Condition.NotMet"/> when there is no entry of this key and version.</returns>
    internal PutResult Renew(in KeyProbe key, ulong version, EntryOptions? options, out EntryInfo info)
    {
        Span<ulong> tagBuffer = stackalloc ulong[EntryHead.MaxTags];
        while (TryCopy(key, out CopyReader copy, out info))
        {
            using (copy)
            {
                if (version != 0 && info.Version != version)
                    return Condition.NotMet;
                // Value and metadata are read one after the other. The version tells whether they belong together; the put's condition,
                // whether they still do.
                if (!Core.Peek.TryPeek(key, out EntryCopy entry) || entry.Info.Version != info.Version)
                    continue; // it was replaced meanwhile
                EntrySpec spec = Core.Specs.SpecOf(entry, options, tagBuffer);
                PutResult result = entry.Kind == ValueKind.Pointer
                    ? PutOwnedAgain(key, info.Version, spec, Condition.Of(info.Version), out EntryInfo renewed)
                    : Core.Put.Run(key, copy.Value, copy.Kind, spec, Condition.Of(info.Version), out renewed);
                if (result == Condition.NotMet) // replaced since: read anew
                    continue;
                info = renewed with { ValueBytes = info.ValueBytes };
                return result;
            }
        }
        return Condition.NotMet;
    }

    /// <summary>Puts an object of the pile as a value.</summary>
    internal PutResult PutPointer(in KeyProbe key, PilePointer pointer, EntryOptions? options)
    {
        ulong word = pointer.ToUInt64();
        return Put(key, AsBytes(in word), ValueKind.Pointer, options, Condition.None, out _);
    }

    /// <summary>The object that holds a key's value. An inline value is externalized first.</summary>
    internal bool TryGetPointer(in KeyProbe key, out PilePointer pointer)
    {
        while (Core.Peek.TryPeek(key, out EntryCopy entry))
        {
            if (entry.Kind == ValueKind.Null) // no object stands for it
                break;
            if (entry.Kind == ValueKind.Pointer
                ? Core.Peek.TryReadPointer(key, out pointer, out _) && (entry.SlidingTicks == 0 || Core.Touch.TryTouch(key))
                : TryExternalize(key, entry, out pointer))
                return true;
        }
        pointer = default;
        return false;
    }

    /// <summary>The public description of an entry.</summary>
    internal TableEntry<TKey> Describe(in EntryCopy copy)
    {
        return new TableEntry<TKey>(
            Keys.Decode(copy.Key), copy.Info, AgeOf(copy.Info.Version),
            copy.ExpiresAt == long.MaxValue ? null : new DateTimeOffset(Core.Clock.ToSystem(copy.ExpiresAt), TimeSpan.Zero),
            copy.SlidingTicks == 0 ? null : new TimeSpan(copy.SlidingTicks), copy.Priority);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private TValue Complete(ref ValueReader reader, in KeyProbe key) => ValueOf(reader.Complete(Core.Heap.Codecs.Objects), key);

    /// <summary>The value of another caller's factory, as a read would give it.</summary>
    /// <exception cref="InvalidCastException">It is of another type.</exception>
    internal TValue ValueOf(object? value, TKey key)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return ValueOf(value, Keys.Probe(key, stack));
    }

    /// <summary>A value from the bytes that are stored for it.</summary>
    /// <exception cref="InvalidCastException">It is of another type.</exception>
    internal unsafe TValue ValueOf(ReadOnlySpan<byte> value, ValueKind kind, TKey key)
    {
        var reader = default(ValueReader);
        fixed (byte* start = value)
            reader.Read(start, value.Length, EntryHead.BlockKindOf(kind));
        return ValueOf(reader.Complete(Core.Heap.Codecs.Objects), key);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private TValue ValueOf(object? value, in KeyProbe key) =>
        value is TValue typed ? typed : value == null && default(TValue) is null ? default! : RefuseType(value, key);

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TValue RefuseType(object? value, in KeyProbe key) => throw new InvalidCastException(
        $"The value of the key '{Keys.Decode(key.Bytes)}' of the table '{Core.Name}' is {value?.GetType().ToString() ?? "null"}, and was "
        + $"asked for as {typeof(TValue)}.");

    private bool TryExternalize(in KeyProbe key, in EntryCopy entry, out PilePointer pointer)
    {
        pointer = default;
        if (!TryCopy(key, out CopyReader copy, out EntryInfo info))
            return false;
        using (copy)
        {
            if (info.Version != entry.Info.Version)
                return false;
            PutResult result = Core.Externalize.Run(key, copy.Value, copy.Kind, entry, out pointer);
            // Others may have been evicted for the pointer. If the entry itself was, it has to come back first.
            Core.Disk?.Demotions.Drain();
            if (result == Condition.NotMet && Core.Disk is { } disk)
                _ = disk.TryPromote(key);
            if (result == PutResult.Collision)
                throw new PileFullException($"The table '{Core.Name}' is at its limit, and nothing may go for the pointer to the value.");
            return result != Condition.NotMet;
        }
    }

    /// <summary>Puts the object that an entry owns again, with another spec.</summary>
    private PutResult PutOwnedAgain(in KeyProbe key, ulong version, in EntrySpec spec, Condition condition, out EntryInfo info)
    {
        info = default;
        if (!Core.Peek.TryReadPointer(key, out PilePointer pointer, out ulong found) || found != version)
            return Condition.NotMet;
        ulong word = pointer.ToUInt64();
        return Core.Put.Run(key, AsBytes(in word), ValueKind.Pointer, spec, condition, out info);
    }

    private PutResult PutThroughBuffer(in KeyProbe key, object value, EntryOptions? options, Condition condition, out EntryInfo info)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        BlockKind kind = Core.Heap.Encode(value, buffer);
        return Put(key, buffer.WrittenSpan, (ValueKind)kind, options, condition, out info);
    }

    private bool TryCopy(in KeyProbe key, out CopyReader copy, out EntryInfo info)
    {
        copy = new CopyReader(BufferRental.Rent());
        if (Core.Lookup.TryRead(key, ref copy, out info))
            return true;
        copy.Dispose();
        return false;
    }

    private static ReadOnlySpan<byte> AsBytes(in ulong word) => MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in word));
}
