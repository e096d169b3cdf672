using System;
using System.Buffers;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>How the bytes of a sequence may lie.</summary>
public enum Shape
{
    WholeArray,
    PartOfArray,
    CustomMemory,
    ManySegments,
}

/// <summary>Makes sequences of every shape.</summary>
internal static class Shapes
{
    private const int Before = 5;
    private const int FirstSkipped = 7;
    private const int LastSkipped = 4;

    internal static byte[] Bytes(int length)
    {
        var bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        return bytes;
    }

    internal static ReadOnlySequence<byte> Of(byte[] bytes, Shape shape)
    {
        switch (shape)
        {
            case Shape.WholeArray:
                return new ReadOnlySequence<byte>(bytes);
            case Shape.PartOfArray:
                var padded = new byte[bytes.Length + 2 * Before];
                bytes.CopyTo(padded, Before);
                return new ReadOnlySequence<byte>(padded, Before, bytes.Length);
            case Shape.CustomMemory:
                return new ReadOnlySequence<byte>(new CustomMemory(bytes).Memory);
            default:
                return InSegments(bytes);
        }
    }

    // The first segment begins, and the last ends, with bytes that do not belong to the sequence.
    private static ReadOnlySequence<byte> InSegments(byte[] bytes)
    {
        if (bytes.Length == 0)
            return default;
        int third = bytes.Length / 3;
        var first = new Part([.. new byte[FirstSkipped], .. bytes[..third]], null);
        var second = new Part(bytes[third..(2 * third)], first);
        var last = new Part([.. bytes[(2 * third)..], .. new byte[LastSkipped]], second);
        return new ReadOnlySequence<byte>(first, FirstSkipped, last, last.Memory.Length - LastSkipped);
    }

    private sealed class Part : ReadOnlySequenceSegment<byte>
    {
        internal Part(byte[] bytes, Part? before)
        {
            Memory = bytes;
            if (before == null)
                return;
            RunningIndex = before.RunningIndex + before.Memory.Length;
            before.Next = this;
        }
    }

    /// <summary>Memory that is no array, and that nobody may pin.</summary>
    private sealed class CustomMemory(byte[] bytes) : MemoryManager<byte>
    {
        public override Span<byte> GetSpan() => bytes;

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() => throw new NotSupportedException();

        protected override bool TryGetArray(out ArraySegment<byte> segment)
        {
            segment = default;
            return false;
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
