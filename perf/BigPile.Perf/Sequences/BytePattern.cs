using System;
using System.Runtime.CompilerServices;

namespace BigPile.Perf.Sequences;

/// <summary>Which byte belongs to which offset: records may overlap, and each read can still be compared, whoever wrote last.</summary>
/// <remarks>
/// The bytes come again after a prime number of them, so that a record at the offset of another one, some records or pages away, is
/// noticed. None is 0, as holes are. They stay in the processor's first cache, and no record is put together before it is written.
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
