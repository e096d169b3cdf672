using System;

namespace BigPile.Perf.Sequences;

/// <summary>One worker's bytes, padded so that workers share no cache line.</summary>
internal sealed class PaddedBuffer
{
    private const int PaddingBytes = 128;

    private readonly byte[] _bytes;
    private readonly int _lengthBytes;

    private PaddedBuffer(int lengthBytes)
    {
        _lengthBytes = lengthBytes;
        _bytes = new byte[PaddingBytes + lengthBytes + PaddingBytes];
    }

    internal Span<byte> Bytes => new(_bytes, PaddingBytes, _lengthBytes);

    /// <summary>Creates a buffer for each worker.</summary>
    internal static PaddedBuffer[] Make(int threads, int lengthBytes)
    {
        var buffers = new PaddedBuffer[threads];
        for (int i = 0; i < threads; i++)
            buffers[i] = new PaddedBuffer(lengthBytes);
        return buffers;
    }
}
