using System;
using System.IO.Pipelines;
using BigPile.Caching.Readers;
using BigPile.Http.Entries;

namespace BigPile.Http.FastPath;

/// <summary>Copies a value to where it will be sent from, behind room for a head.</summary>
/// <param name="output">Where answers go.</param>
/// <param name="offset">Where the value goes in the output's free room.</param>
/// <param name="headBytes">The room that the head may need, the offset included.</param>
internal struct FastPathVisitor(PipeWriter output, int offset, int headBytes) : IValueVisitor
{
    /// <summary>The value's length, or -1 when it is too long for the door.</summary>
    internal int LengthBytes { get; private set; }

    /// <summary>What the output is asked for; the same again gives the same room.</summary>
    internal readonly int BufferBytes => headBytes + LengthBytes;

    /// <inheritdoc/>
    public void Visit(ReadOnlySpan<byte> value)
    {
        LengthBytes = value.Length <= EntryReader.MaxSmallValueBytes ? value.Length : -1;
        if (LengthBytes >= 0)
            value.CopyTo(output.GetSpan(BufferBytes)[offset..]);
    }
}
