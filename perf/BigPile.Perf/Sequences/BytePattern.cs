using System;
using System.Runtime.CompilerServices;

namespace BigPile.Perf.Sequences;

/// <summary>Defines the byte of each offset: records may overlap, and each read can still be compared, whichever write was last.</summary>
/// <remarks>
/// The bytes repeat with a prime period, so that a record at the wrong offset, some records or pages away, is detected. None is 0, as holes
/// are. They stay in the L1 cache, and no record is assembled before it is written.
/// </remarks>
internal sealed class BytePattern
{
    private const int PeriodBytes = 8191;
    private const int Seed = 1;

    private readonly byte[] _bytes;
    private readonly int _lengthBytes;

    /// <summary>Makes a pattern.</summary>
    /// <param name="lengthBytes">The bytes of a record.</param>
    internal BytePattern(int lengthBytes)
    {
        _lengthBytes = lengthBytes;
        _bytes = new byte[PeriodBytes + lengthBytes];
        var random = new Random(Seed);
        for (int i = 0; i < _bytes.Length; i++)
            _bytes[i] = i < PeriodBytes ? (byte)random.Next(1, byte.MaxValue + 1) : _bytes[i - PeriodBytes];
    }

    /// <summary>The record at an offset.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> At(long offset) => new(_bytes, (int)((ulong)offset % PeriodBytes), _lengthBytes);
}

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
