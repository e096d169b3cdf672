using System;
using System.Buffers;

namespace BigPile.Hash.Records;

/// <summary>A temporary buffer, which goes back to the shared pool when it is disposed.</summary>
internal readonly struct PooledBytes : IDisposable
{
    private readonly byte[] _rented;

    internal PooledBytes(int length, out Span<byte> bytes)
    {
        _rented = ArrayPool<byte>.Shared.Rent(length);
        bytes = _rented.AsSpan(0, length);
    }

    public void Dispose() => ArrayPool<byte>.Shared.Return(_rented);
}
