using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Tables;

namespace BigPile.Caching.Keys;

/// <summary>Encodes keys as the bytes that entries hold and lookups compare, and decodes them.</summary>
/// <typeparam name="TKey">
/// The type of the keys. Text, <see cref="long"/>, <see cref="int"/> and Guid are encoded here, all others by the pile's codec.
/// </typeparam>
/// <param name="heap">The pile whose codecs encode other types.</param>
/// <param name="stored">The kind of the table's keys.</param>
/// <param name="hash">The table's hash.</param>
/// <param name="comparer">Decides which keys are equal; if null, their bytes do.</param>
/// <param name="copyKeys">Copies the stored keys that a lookup of a hash may compare.</param>
internal sealed class KeyCodec<TKey>(
    TableHeap heap, KeyKind stored, KeyHash hash, IEqualityComparer<TKey>? comparer, Action<ulong, List<byte[]>> copyKeys)
    where TKey : notnull
{
    /// <summary>Whether keys are encoded here, without a codec.</summary>
    internal static bool HasOwnBytes => KindFor(KeyKind.Object) != KeyKind.Object;

    // A comparer may distinguish keys that are equal in normal form, so its tables take the ordinary codec. They are in memory only, and
    // nothing else reads their bytes.
    private readonly IPileCodec _codec = comparer != null ? heap.Codecs.Objects
        : stored == KeyKind.Normal ? heap.Codecs.Keys
        : heap.Codecs.OtherKeys;

    private readonly bool _isComparerOwn = comparer != null && OwnMatcher<TKey>.IsFor(comparer);

    /// <summary>Whether encoding or hashing a key may run code of the application: its codec or comparer.</summary>
    internal bool RunsOthersCode => (comparer != null && !_isComparerOwn) || !HasOwnBytes;

    /// <summary>The kind of these keys in a new table.</summary>
    internal static KeyKind KindIn(TableHeap heap) =>
        KindFor(heap.Codecs.MakesKeysOf(typeof(TKey)) ? KeyKind.Normal : KeyKind.Object);

    /// <summary>Whether a table whose keys are of a kind can have keys of this type.</summary>
    internal static bool Fits(KeyKind kind) => kind == KindFor(kind is KeyKind.Object or KeyKind.Normal ? kind : KeyKind.Object);

    /// <summary>Prepares the lookup of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="stack">A buffer for its bytes, if they fit.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal KeyProbe Probe(TKey key, Span<byte> stack)
    {
        if (comparer != null)
            return ProbeByComparer(key, stack);
        if (typeof(TKey) == typeof(long))
        {
            BinaryPrimitives.WriteInt64LittleEndian(stack, Unsafe.BitCast<TKey, long>(key));
            return new KeyProbe(stack[..sizeof(long)], hash.Of((ulong)Unsafe.BitCast<TKey, long>(key)));
        }
        ReadOnlySpan<byte> bytes = Encode(key, stack);
        return new KeyProbe(bytes, hash.Of(bytes));
    }

    /// <summary>The hash of a key alone.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong HashOf(TKey key, Span<byte> stack)
    {
        if (typeof(TKey) == typeof(long) && comparer == null)
            return hash.Of((ulong)Unsafe.BitCast<TKey, long>(key));
        return Probe(key, stack).Hash;
    }

    /// <summary>Prepares the lookup of a text key in UTF-8.</summary>
    internal KeyProbe ProbeUtf8(ReadOnlySpan<byte> key, Span<byte> stack) =>
        comparer == null ? new KeyProbe(key, hash.Of(key)) : ProbeByComparer(Decode(key), stack);

    /// <summary>Prepares the lookup of a text key.</summary>
    internal KeyProbe ProbeText(ReadOnlySpan<char> key, Span<byte> stack)
    {
        ReadOnlySpan<byte> bytes = TextKey.Encode(key, stack);
        return comparer == null ? new KeyProbe(bytes, hash.Of(bytes)) : ProbeByComparer(Decode(bytes), stack);
    }

    /// <summary>The hash of an encoded key where a comparer hashes.</summary>
    internal ulong HashByComparer(byte[] key) => HashByComparer(Decode(key));

    internal TKey Decode(ReadOnlySpan<byte> bytes)
    {
        if (typeof(TKey) == typeof(long))
            return (TKey)(object)BinaryPrimitives.ReadInt64LittleEndian(bytes);
        if (typeof(TKey) == typeof(int))
            return (TKey)(object)BinaryPrimitives.ReadInt32LittleEndian(bytes);
        if (typeof(TKey) == typeof(Guid))
            return (TKey)(object)new Guid(bytes);
        return typeof(TKey) == typeof(string) ? (TKey)(object)TextKey.Decode(bytes) : DecodeObject(bytes);
    }

    private static KeyKind KindFor(KeyKind other)
    {
        if (typeof(TKey) == typeof(string))
            return KeyKind.String;
        if (typeof(TKey) == typeof(long))
            return KeyKind.Int64;
        if (typeof(TKey) == typeof(int))
            return KeyKind.Int32;
        return typeof(TKey) == typeof(Guid) ? KeyKind.Guid : other;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadOnlySpan<byte> Encode(TKey key, Span<byte> stack)
    {
        if (typeof(TKey) == typeof(long))
        {
            BinaryPrimitives.WriteInt64LittleEndian(stack, Unsafe.BitCast<TKey, long>(key));
            return stack[..sizeof(long)];
        }
        if (typeof(TKey) == typeof(int))
        {
            BinaryPrimitives.WriteInt32LittleEndian(stack, Unsafe.BitCast<TKey, int>(key));
            return stack[..sizeof(int)];
        }
        if (typeof(TKey) == typeof(Guid))
        {
            Unsafe.As<TKey, Guid>(ref key).TryWriteBytes(stack);
            return stack[..16];
        }
        return EncodeReference(key, stack);
    }

    private ReadOnlySpan<byte> EncodeReference(TKey key, Span<byte> stack)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (typeof(TKey) == typeof(string))
            return TextKey.Encode((string)(object)key, stack);
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        _codec.Serialize(key, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    private TKey DecodeObject(ReadOnlySpan<byte> bytes)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        bytes.CopyTo(buffer.GetSpan(bytes.Length));
        buffer.Advance(bytes.Length);
        return (TKey)_codec.Deserialize(buffer);
    }

    private ulong HashByComparer(TKey key) => hash.Of((ulong)(uint)comparer!.GetHashCode(key));

    private KeyProbe ProbeByComparer(TKey key, Span<byte> stack)
    {
        ulong hashed = HashByComparer(key);
        ReadOnlySpan<byte> bytes = Encode(key, stack);
        if (_isComparerOwn)
            return new KeyProbe(bytes, hashed, new OwnMatcher<TKey>(this, key, comparer!));
        var matcher = new OthersMatcher<TKey>(this, key, hashed, comparer!, copyKeys);
        matcher.Learn();
        return new KeyProbe(bytes, hashed, matcher);
    }
}

/// <summary>The key types that a table may have, as stored in its definition.</summary>
internal enum KeyKind : byte
{
    String = 1,
    Int64 = 2,
    Guid = 3,
    Int32 = 4,

    /// <summary>
    /// Any other type, as the codec encodes objects, where equal keys may have different bytes. Tables older than <see cref="Normal"/>, and
    /// types that only an application's codec knows.
    /// </summary>
    Object = 5,

    /// <summary>Any other type, in normal form: equal numbers and instants in a key have equal bytes.</summary>
    Normal = 6,
}
