using System;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile;

/// <summary>Reading objects.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Reads an object: an equal graph, new on each call.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public object Get(PilePointer pointer)
    {
        if (!TryGet(pointer, out object? value))
            Throw.NoSuchObject(pointer);
        return value;
    }

    /// <summary>Reads an object of a known type.</summary>
    /// <typeparam name="T">The object's type, or one that it derives from.</typeparam>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="InvalidCastException">The object is of another type.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public T Get<T>(PilePointer pointer) => (T)Get(pointer);

    /// <summary>Reads an object, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet(PilePointer pointer, [NotNullWhen(true)] out object? value)
    {
        var reader = default(ObjectReader);
        if (TryRead(pointer, ref reader))
        {
            value = reader.Complete(Codec);
            return true;
        }
        reader.Release();
        value = null;
        return false;
    }

    /// <summary>Reads an object of a known type, if the pointer still names one.</summary>
    /// <typeparam name="T">The object's type, or one that it derives from.</typeparam>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="InvalidCastException">The object is of another type.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGet<T>(PilePointer pointer, [MaybeNullWhen(false)] out T value)
    {
        bool found = TryGet(pointer, out object? any);
        value = found ? (T)any! : default;
        return found;
    }

    /// <summary>Copies a payload as it is stored: the bytes of a byte array, text as UTF-8, of an object the codec's bytes.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public byte[] GetBytes(PilePointer pointer)
    {
        var reader = default(BytesReader);
        if (!TryRead(pointer, ref reader))
            Throw.NoSuchObject(pointer);
        return reader.Result;
    }

    /// <summary>Copies a payload as it is stored, if it fits.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="destination">Where the bytes go; untouched or overwritten in part when the result is larger.</param>
    /// <returns>The bytes of the payload. When that is more than the destination has, nothing usable was copied.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int Read(PilePointer pointer, Span<byte> destination)
    {
        var reader = new SpanReader(destination);
        if (!TryRead(pointer, ref reader))
            Throw.NoSuchObject(pointer);
        return (int)reader.LengthBytes;
    }

    /// <summary>The bytes of an object's payload.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int SizeOf(PilePointer pointer)
    {
        var reader = default(SizeReader);
        if (!TryRead(pointer, ref reader))
            Throw.NoSuchObject(pointer);
        return (int)reader.LengthBytes;
    }

    /// <summary>Whether the pointer names a live object.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool Contains(PilePointer pointer)
    {
        var reader = default(SizeReader);
        return TryRead(pointer, ref reader);
    }

    /// <summary>What a kind of block is to an application.</summary>
    internal static PayloadKind PayloadKindOf(BlockKind kind) => kind switch
    {
        BlockKind.String or BlockKind.Utf16String => PayloadKind.String,
        BlockKind.Bytes => PayloadKind.Bytes,
        BlockKind.TableEntry => PayloadKind.TableEntry,
        _ => PayloadKind.Object,
    };
}
