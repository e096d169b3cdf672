using System;
using System.Buffers;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Values in the format of the serializer that the application registered for their type.</summary>
internal sealed class SerializerFormat<T>(IHybridCacheSerializer<T> serializer, BufferPool buffers) : ValueFormat<T>
{
    internal override ValueKind Encode(T value, PileBuffer target)
    {
        if (value is null)
            return ValueKind.Null;
        serializer.Serialize(value, target);
        return ValueKind.Bytes;
    }

    internal override T Decode(ValueKind kind, PileBuffer source) =>
        kind == ValueKind.Null ? default! : serializer.Deserialize(new ReadOnlySequence<byte>(source.WrittenMemory));

    internal override void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target) =>
        target.Write(encoded.WrittenSpan);

    internal override T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source)
    {
        using BufferPool.Loan copy = buffers.Rent();
        copy.Buffer.Write(source);
        return Decode(kind, copy.Buffer);
    }

    internal override bool TryTake(object? stored, out T value)
    {
        if (stored is not byte[] bytes)
            return TryCast(stored, out value) && stored is null;
        value = serializer.Deserialize(new ReadOnlySequence<byte>(bytes));
        return true;
    }
}
