using System;
using System.IO.Pipelines;
using BigPile.Caching.Readers;
using BigPile.Http.Entries;

namespace BigPile.Http.FastPath;

/// <summary>Copies a value into the output buffer, leaving space for the head in front of it.</summary>
/// <param name="output">The connection's output.</param>
/// <param name="offset">Where in the buffer the value goes.</param>
/// <param name="headBytes">Bytes reserved for the head; at least the offset.</param>
internal struct FastPathVisitor(PipeWriter output, int offset, int headBytes) : IValueVisitor
{
    /// <summary>The value's length in bytes, or -1 if it is too long for the fast path.</summary>
    internal int LengthBytes { get; private set; }

    /// <summary>The size to request from the output; the same request returns the same memory until something is advanced.</summary>
    internal readonly int BufferBytes => headBytes + LengthBytes;

    /// <inheritdoc/>
    public void Visit(ReadOnlySpan<byte> value)
    {
        LengthBytes = value.Length <= EntryReader.MaxSmallValueBytes ? value.Length : -1;
        if (LengthBytes >= 0)
            value.CopyTo(output.GetSpan(BufferBytes)[offset..]);
    }
}
