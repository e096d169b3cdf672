using System;
using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values in the format of the pile's codec; text and bytes unchanged.</summary>
internal sealed class CodecFormat<T>(Pile pile, BufferPool buffers) : ValueFormat<T>
{
    // The pile's codec writes schema numbers that only this pile knows, so bytes that leave the process carry their schemas. A user's own
    // codec is assumed to do so itself.
    private readonly IPileCodec _portable = pile.Encoding.CreatePortableCodec();

    internal override ValueKind Encode(T value, PileBuffer target)
    {
        switch (value)
        {
            case null:
                return ValueKind.Null;
            case string text:
                return EncodedText.Write(text, target);
            case byte[] bytes when bytes.GetType() == typeof(byte[]): // and no array of signed bytes or of an enumeration
                target.Write(bytes);
                return ValueKind.Bytes;
            default:
                pile.Encoding.Codec.Serialize(value, target);
                return ValueKind.Object;
        }
    }

    internal override T Decode(ValueKind kind, PileBuffer source) => Cast(kind switch
    {
        ValueKind.Null => null,
        ValueKind.Bytes => source.WrittenSpan.ToArray(),
        ValueKind.Object => pile.Encoding.Codec.Deserialize(source),
        _ => EncodedText.Read(source.WrittenSpan, kind),
    });

    internal override void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target)
    {
        if (kind == ValueKind.Object && _portable != pile.Encoding.Codec)
            _portable.Serialize(value!, target);
        else
            target.Write(encoded.WrittenSpan);
    }

    internal override T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source)
    {
        using BufferPool.Loan copy = buffers.Rent();
        copy.Buffer.Write(source);
        return kind == ValueKind.Object ? Cast(_portable.Deserialize(copy.Buffer)) : Decode(kind, copy.Buffer);
    }

    internal override bool TryTake(object? stored, out T value) => TryCast(stored, out value);

    private static T Cast(object? stored) =>
        TryCast(stored, out T value)
            ? value
            : throw new PileSerializationException($"The value is of type {stored?.GetType().ToString() ?? "null"}, not {typeof(T)}.");
}

/// <summary>Text as UTF-8, or as UTF-16 where UTF-8 would lose something (lone surrogates).</summary>
internal static class EncodedText
{
    internal static ValueKind Write(string text, PileBuffer target)
    {
        Span<byte> destination = target.GetSpan(Encoding.UTF8.GetByteCount(text));
        if (Utf8.FromUtf16(text, destination, out _, out int lengthBytes, replaceInvalidSequences: false) == OperationStatus.Done)
        {
            target.Advance(lengthBytes);
            return ValueKind.String;
        }
        target.Write(MemoryMarshal.AsBytes(text.AsSpan()));
        return ValueKind.Utf16String;
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    internal static string Read(ReadOnlySpan<byte> source, ValueKind kind) =>
        kind == ValueKind.Utf16String ? new string(MemoryMarshal.Cast<byte, char>(source)) : Encoding.UTF8.GetString(source);
}
