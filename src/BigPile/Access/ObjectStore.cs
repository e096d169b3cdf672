using System;
using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Makes payloads of objects, and objects of payloads. What a codec does is done outside of the pile.</summary>
/// <param name="codec">Serializes what is neither a string nor a byte array.</param>
/// <param name="reader">Reads payloads.</param>
/// <param name="writer">Stores new payloads.</param>
/// <param name="replacer">Replaces payloads.</param>
/// <param name="readOnlyPath">The directory, of a pile that is opened for reading only.</param>
internal sealed class ObjectStore(IPileCodec codec, BlockReader reader, BlockWriter writer, Replacer replacer, string? readOnlyPath)
{
    /// <summary>Stores an object.</summary>
    internal PilePointer Put(object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return value switch
        {
            string text => Put(text),
            _ when IsBytes(value) => writer.Put(Unsafe.As<byte[]>(value), BlockKind.Bytes),
            _ => PutEncoded(value, preallocateBytes: 0),
        };
    }

    /// <summary>Stores a string.</summary>
    internal PilePointer Put(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Ascii.IsValid(value) ? writer.PutAscii(value) : PutEncoded(value, preallocateBytes: 0);
    }

    /// <summary>Stores an object with room to grow in place.</summary>
    internal PilePointer Put(object value, int preallocateBytes)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentOutOfRangeException.ThrowIfNegative(preallocateBytes);
        return IsBytes(value)
            ? writer.Put(Unsafe.As<byte[]>(value), BlockKind.Bytes, preallocateBytes)
            : PutEncoded(value, preallocateBytes);
    }

    /// <summary>Stores bytes that lie in several places.</summary>
    internal PilePointer Put(in ReadOnlySequence<byte> value)
    {
        if (value.IsSingleSegment)
            return writer.Put(value.FirstSpan, BlockKind.Bytes);
        using var parts = new PinnedParts(value); // outside the pile: the memory may be anybody's, and handing it out his code
        return writer.PutParts(parts);
    }

    /// <summary>Reads an object.</summary>
    internal bool TryGet(PilePointer pointer, [NotNullWhen(true)] out object? value)
    {
        var objects = default(ObjectReader);
        if (reader.TryRead(pointer, ref objects))
        {
            value = objects.Complete(codec);
            return true;
        }
        objects.Release();
        value = null;
        return false;
    }

    /// <summary>Puts another object in the place of one.</summary>
    internal bool TryReplace(PilePointer pointer, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (IsBytes(value))
            return replacer.TryReplace(pointer, Unsafe.As<byte[]>(value), BlockKind.Bytes);
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Encode(value, buffer);
            return replacer.TryReplace(pointer, buffer.WrittenSpan, kind);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }

    /// <summary>
    /// Whether a value is stored as the bytes that it is. The language takes arrays of signed bytes, and of enumerations, for byte arrays
    /// too.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsBytes(object value) => value.GetType() == typeof(byte[]);

    /// <summary>Writes a string, or an object by the codec, to an empty buffer.</summary>
    /// <returns>The kind of the payload.</returns>
    internal BlockKind Encode(object value, PileBuffer buffer)
    {
        Debug.Assert(buffer.LengthBytes == 0, "The payload is all that the buffer holds afterwards.");
        if (readOnlyPath != null)
            Throw.ReadOnly(readOnlyPath); // before a new type's definition could be stored
        if (value is string text)
            return TextPayload.Write(text, buffer);
        codec.Serialize(value, buffer);
        return BlockKind.Object;
    }

    private PilePointer PutEncoded(object value, int preallocateBytes)
    {
        PileBuffer buffer = BufferRental.Rent();
        try
        {
            BlockKind kind = Encode(value, buffer);
            return writer.Put(buffer.WrittenSpan, kind, preallocateBytes);
        }
        finally
        {
            BufferRental.Return(buffer);
        }
    }
}
