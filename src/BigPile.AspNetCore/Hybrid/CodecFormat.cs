using System;
using System.Buffers;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Catalog;
using BigPile.Layout;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values in the format of the pile's codec; text and bytes unchanged.</summary>
internal sealed class CodecFormat<T>(Pile pile, BufferPool buffers) : ValueFormat<T>
{
    // The pile's codec writes schema numbers that only this pile knows, so bytes that leave the process carry their schemas. A user's own
    // codec is assumed to do so itself.
    private readonly PortableCodec? _portable = PortableCodec.Of(pile.Engine.Codec);

    internal override ValueKind Encode(T value, PileBuffer target)
    {
        switch (value)
        {
            case null:
                return ValueKind.Null;
            case byte[] bytes when ObjectStore.IsBytes(bytes):
                target.Write(bytes);
                return ValueKind.Bytes;
            default:
                return (ValueKind)pile.Objects.Encode(value, target);
        }
    }

    internal override T Decode(ValueKind kind, PileBuffer source) => Cast(kind switch
    {
        ValueKind.Null => null,
        ValueKind.Bytes => source.WrittenSpan.ToArray(),
        ValueKind.Object => pile.Engine.Codec.Deserialize(source),
        _ => TextPayload.Read(source.WrittenSpan, (BlockKind)kind),
    });

    internal override void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target)
    {
        if (kind != ValueKind.Object || _portable == null)
        {
            target.Write(encoded.WrittenSpan);
            return;
        }
        using BufferPool.Loan scratch = buffers.Rent();
        _portable.Serialize(value!, scratch.Buffer, target);
    }

    internal override T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source)
    {
        using BufferPool.Loan scratch = buffers.Rent();
        if (kind == ValueKind.Object && _portable != null)
            return Cast(_portable.Deserialize(source, scratch.Buffer));
        scratch.Buffer.Write(source);
        return Decode(kind, scratch.Buffer);
    }

    internal override bool TryTake(object? stored, out T value) => TryCast(stored, out value);

    private static T Cast(object? stored) =>
        TryCast(stored, out T value)
            ? value
            : throw new PileSerializationException($"The value is of type {stored?.GetType().ToString() ?? "null"}, not {typeof(T)}.");
}
