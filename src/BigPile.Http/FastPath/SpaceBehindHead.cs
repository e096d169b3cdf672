using System;
using System.Buffers;
using System.IO.Pipelines;

namespace BigPile.Http.FastPath;

/// <summary>Output that a value is copied into, with space for the head in front of it. Nothing is advanced.</summary>
/// <param name="output">The connection's output.</param>
/// <remarks>Thread safety: none; it belongs to one connection.</remarks>
internal sealed class SpaceBehindHead(PipeWriter output) : IBufferWriter<byte>
{
    // A value as long as the last one mostly fits at once. More is not asked for ahead: it would leave parts of memory blocks unused.
    private const int MaxGuessBytes = 2048;

    private int _offset;
    private int _headBytes;
    private int _guessBytes;

    internal int LengthBytes { get; private set; }

    /// <summary>The same memory as the value was copied to, with the space in front of it: nothing was advanced since.</summary>
    internal Span<byte> Buffer => output.GetSpan(_headBytes + LengthBytes);

    /// <summary>Begins an answer.</summary>
    /// <param name="offset">Where in the buffer the value goes.</param>
    /// <param name="headBytes">Bytes reserved for the head; at least the offset.</param>
    internal void Begin(int offset, int headBytes)
    {
        _guessBytes = Math.Min(LengthBytes, MaxGuessBytes);
        _offset = offset;
        _headBytes = headBytes;
        LengthBytes = 0;
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Span<byte> buffer = output.GetSpan(_headBytes + Math.Max(sizeHint, _guessBytes));
        return buffer.Slice(_offset, buffer.Length - _headBytes);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Memory<byte> buffer = output.GetMemory(_headBytes + Math.Max(sizeHint, _guessBytes));
        return buffer.Slice(_offset, buffer.Length - _headBytes);
    }

    /// <inheritdoc/>
    public void Advance(int count) => LengthBytes = count;
}
