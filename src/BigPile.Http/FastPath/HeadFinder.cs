using System;
using System.Buffers;

namespace BigPile.Http.FastPath;

/// <summary>Finds the end of the next request's head, and makes the head contiguous.</summary>
/// <remarks>Thread safety: none; each thread has its own.</remarks>
internal sealed class HeadFinder
{
    private readonly byte[] _buffer = new byte[HeadLimits.LargestHeadBytes];

    /// <summary>Finds a head at the front of the received bytes.</summary>
    /// <param name="received">The received bytes.</param>
    /// <param name="limits">The limits on a head's length.</param>
    /// <param name="head">The head with its empty line; valid until the next call.</param>
    internal HeadState Find(in ReadOnlySequence<byte> received, HeadLimits limits, out ReadOnlyMemory<byte> head)
    {
        ReadOnlyMemory<byte> start = received.First;
        HeadState state = Find(start, limits.HeadBytes, out head);
        if (state == HeadState.Partial && !received.IsSingleSegment)
        {
            // The head spans several memory blocks.
            int lengthBytes = (int)Math.Min(received.Length, _buffer.Length);
            received.Slice(0, lengthBytes).CopyTo(_buffer);
            state = Find(_buffer.AsMemory(0, lengthBytes), limits.HeadBytes, out head);
        }
        return state == HeadState.Long ? StateOfLong(received, limits) : state;
    }

    // A long head is handed over only when the stack can decide at once; otherwise the client would get the header timeout twice.
    private static HeadState StateOfLong(in ReadOnlySequence<byte> received, HeadLimits limits)
    {
        bool isDecided = received.Length > limits.MostBytes || Has(received, "\r\n\r\n"u8) || Has(received, "\n\n"u8)
            || Has(received, "\n\r\n"u8)
            || (received.Length > limits.LineBytes && received.Slice(0, limits.LineBytes).PositionOf((byte)'\n') == null);
        return isDecided ? HeadState.Unsupported : HeadState.Partial;
    }

    private static bool Has(in ReadOnlySequence<byte> received, ReadOnlySpan<byte> end) =>
        new SequenceReader<byte>(received).TryReadTo(out ReadOnlySequence<byte> _, end);

    private static HeadState Find(ReadOnlyMemory<byte> received, int maxBytes, out ReadOnlyMemory<byte> head)
    {
        head = default;
        ReadOnlySpan<byte> bytes = received.Span;
        if (bytes.Length > maxBytes)
            bytes = bytes[..maxBytes];
        int end = bytes.IndexOf("\r\n\r\n"u8);
        if (end >= 0)
        {
            head = received[..(end + 4)];
            return HeadState.Whole;
        }
        // Other line endings, and input that is not HTTP, go to the stack at once.
        if (bytes.IndexOf("\n\n"u8) >= 0 || bytes.IndexOf("\n\r\n"u8) >= 0 || (!bytes.IsEmpty && bytes[0] is < (byte)'A' or > (byte)'z'))
            return HeadState.Unsupported;
        return bytes.Length == maxBytes ? HeadState.Long : HeadState.Partial;
    }
}

/// <summary>How much of the next request's head has arrived.</summary>
internal enum HeadState
{
    /// <summary>A part of it.</summary>
    Partial,

    Whole,

    /// <summary>More bytes than the fast path supports, complete or not.</summary>
    Long,

    /// <summary>Not a head that the fast path supports: the stack must judge it.</summary>
    Unsupported,
}
