using System;
using System.Buffers;

namespace BigPile.AspNetCore.Door;

/// <summary>Finds where the head of the next request ends, and makes it contiguous.</summary>
/// <remarks>Thread safety: none; there is one for each thread.</remarks>
internal sealed class HeadFinder
{
    private readonly byte[] _room = new byte[HeadLimits.LargestHeadBytes];

    /// <summary>Looks for a head at the front of what was received.</summary>
    /// <param name="received">The bytes.</param>
    /// <param name="maxBytes">The longest head.</param>
    /// <param name="head">The head with its empty line; valid until the next call.</param>
    internal HeadState Find(in ReadOnlySequence<byte> received, int maxBytes, out ReadOnlyMemory<byte> head)
    {
        ReadOnlyMemory<byte> start = received.First;
        HeadState state = Find(start, maxBytes, out head);
        if (state != HeadState.Partial || received.IsSingleSegment)
            return state;
        // The head lies across two blocks of memory.
        int lengthBytes = (int)Math.Min(received.Length, _room.Length);
        received.Slice(0, lengthBytes).CopyTo(_room);
        return Find(_room.AsMemory(0, lengthBytes), maxBytes, out head);
    }

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
        // Heads whose lines end otherwise, and what is no HTTP at all, are not waited for.
        bool isForeign = bytes.Length == maxBytes || bytes.IndexOf("\n\n"u8) >= 0 || bytes.IndexOf("\n\r\n"u8) >= 0
            || (!bytes.IsEmpty && bytes[0] is < (byte)'A' or > (byte)'z');
        return isForeign ? HeadState.Foreign : HeadState.Partial;
    }
}
