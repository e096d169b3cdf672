using System;
using System.Buffers;

namespace BigPile.Hash.Access;

/// <summary>Asks only whether the record exists.</summary>
internal struct NoSink : IValueSink
{
    public readonly bool WantsValue => false;

    public readonly bool TryGetBuffer(int length, out Span<byte> buffer)
    {
        buffer = default;
        return true;
    }
}

/// <summary>Allocates an array for the value.</summary>
internal struct ArraySink : IValueSink
{
    internal byte[]? Value { get; private set; }

    public readonly bool WantsValue => true;

    public bool TryGetBuffer(int length, out Span<byte> buffer)
    {
        Value = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);
        buffer = Value;
        return true;
    }
}

/// <summary>Copies the value to the caller's span.</summary>
internal ref struct SpanSink(Span<byte> destination) : IValueSink
{
    private readonly Span<byte> _destination = destination;

    internal int Length { get; private set; }

    public readonly bool WantsValue => true;

    public bool TryGetBuffer(int length, out Span<byte> buffer)
    {
        Length = length;
        bool fits = length <= _destination.Length;
        buffer = fits ? _destination[..length] : default;
        return fits;
    }
}

/// <summary>Writes the value to the caller's buffer writer, which is advanced once the value is complete.</summary>
internal struct WriterSink(IBufferWriter<byte> writer) : IValueSink
{
    internal int Length { get; private set; }

    public readonly bool WantsValue => true;

    public bool TryGetBuffer(int length, out Span<byte> buffer)
    {
        Length = length;
        buffer = length == 0 ? default : writer.GetSpan(length)[..length];
        return true;
    }

    internal readonly void Advance() => writer.Advance(Length);
}

/// <summary>Receives the value of a record that is read.</summary>
internal interface IValueSink
{
    /// <summary>Whether the value itself is needed, not only whether the record exists.</summary>
    bool WantsValue { get; }

    /// <summary>
    /// Provides a buffer for the value; <see langword="false"/> if the destination is too short. A retried read asks again.
    /// </summary>
    bool TryGetBuffer(int length, out Span<byte> buffer);
}
