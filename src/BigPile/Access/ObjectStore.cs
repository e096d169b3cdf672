using System;
using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Converts objects to payloads and back. Codecs run outside of critical regions.</summary>
/// <param name="codec">Serializes what is neither a string nor a byte array.</param>
/// <param name="reader">Reads payloads.</param>
/// <param name="writer">Stores new payloads.</param>
/// <param name="replacer">Replaces payloads.</param>
/// <param name="readOnlyPath">The directory if the pile is open for reading only, otherwise null.</param>
internal sealed class ObjectStore(IPileCodec codec, BlockReader reader, BlockWriter writer, Replacer replacer, string? readOnlyPath)
{
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

    internal PilePointer Put(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Ascii.IsValid(value) ? writer.PutAscii(value) : PutEncoded(value, preallocateBytes: 0);
    }

    /// <summary>Stores an object with space to grow in place.</summary>
    internal PilePointer Put(object value, int preallocateBytes)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentOutOfRangeException.ThrowIfNegative(preallocateBytes);
        return IsBytes(value)
            ? writer.Put(Unsafe.As<byte[]>(value), BlockKind.Bytes, preallocateBytes)
            : PutEncoded(value, preallocateBytes);
    }

    /// <summary>Stores bytes from several buffers.</summary>
    internal PilePointer Put(in ReadOnlySequence<byte> value)
    {
        if (value.IsSingleSegment)
            return writer.Put(value.FirstSpan, BlockKind.Bytes);
        using var parts = new PinnedParts(value); // before the critical region: pinning may run code of the memory's owner
        return writer.PutParts(parts);
    }

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

    internal bool TryReplace(PilePointer pointer, object value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (IsBytes(value))
            return replacer.TryReplace(pointer, Unsafe.As<byte[]>(value), BlockKind.Bytes);
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        BlockKind kind = Encode(value, buffer);
        return replacer.TryReplace(pointer, buffer.WrittenSpan, kind);
    }

    /// <summary>
    /// Whether a value is stored as plain bytes. A type check by pattern would also accept arrays of signed bytes and of enumerations.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsBytes(object value) => value.GetType() == typeof(byte[]);

    /// <summary>Writes a string, or an object by the codec, to an empty buffer.</summary>
    /// <returns>The kind of the payload.</returns>
    internal BlockKind Encode(object value, PileBuffer buffer)
    {
        Debug.Assert(buffer.LengthBytes == 0, "The payload is all that the buffer holds afterwards.");
        if (readOnlyPath != null)
            Throw.ReadOnly(readOnlyPath); // before a new type's definition is stored
        if (value is string text)
            return TextPayload.Write(text, buffer);
        codec.Serialize(value, buffer);
        return BlockKind.Object;
    }

    private PilePointer PutEncoded(object value, int preallocateBytes)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer buffer);
        BlockKind kind = Encode(value, buffer);
        return writer.Put(buffer.WrittenSpan, kind, preallocateBytes);
    }
}
