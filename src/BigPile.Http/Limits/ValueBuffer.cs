using System;
using System.Buffers;
using Microsoft.Extensions.ObjectPool;

namespace BigPile.Http.Limits;

/// <summary>A pooled, growable buffer for one value.</summary>
/// <remarks>Thread safety: none; a buffer belongs to one request at a time.</remarks>
internal sealed class ValueBuffer : IBufferWriter<byte>, IResettable
{
    private static readonly DefaultObjectPool<ValueBuffer> Pool = new(new DefaultPooledObjectPolicy<ValueBuffer>(), maximumRetained: 1024);

    private readonly GrowingMemory _memory = new();
    private int _lengthBytes;

    /// <summary>The bytes written; valid until the next write.</summary>
    internal ReadOnlySpan<byte> WrittenSpan => _memory.Span[.._lengthBytes];

    /// <summary>The bytes written; valid until the next write.</summary>
    internal ReadOnlyMemory<byte> WrittenMemory => _memory.Memory[.._lengthBytes];

    /// <summary>Rents a buffer.</summary>
    /// <param name="quota">The quota to charge; <see langword="null"/>: the bytes are few, and not counted.</param>
    internal static ValueBuffer Rent(BufferQuota? quota)
    {
        ValueBuffer buffer = Pool.Get();
        buffer.ChargeTo(quota);
        return buffer;
    }

    /// <summary>Rents a buffer until the loan is disposed.</summary>
    internal static Loan Lend(BufferQuota? quota, out ValueBuffer buffer) => new(buffer = Rent(quota));

    internal static void Return(ValueBuffer buffer) => Pool.Return(buffer);

    /// <summary>Sets the quota to charge. Only while the buffer is empty.</summary>
    internal void ChargeTo(BufferQuota? quota) => _memory.ChargeTo(quota);

    /// <inheritdoc/>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureCapacity(sizeHint);
        return _memory.Memory[_lengthBytes..];
    }

    /// <inheritdoc/>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureCapacity(sizeHint);
        return _memory.Span[_lengthBytes..];
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _memory.LengthBytes - _lengthBytes);
        _lengthBytes += count;
    }

    /// <summary>Discards what was written, and keeps the memory.</summary>
    internal void Clear() => _lengthBytes = 0;

    /// <summary>Releases the memory, so that an idle buffer holds none.</summary>
    public bool TryReset()
    {
        _memory.Free();
        _lengthBytes = 0;
        return true;
    }

    private void EnsureCapacity(int sizeHint) => _memory.Grow(checked(_lengthBytes + Math.Max(sizeHint, 1)), _lengthBytes);

    /// <summary>Returns a buffer when it is disposed.</summary>
    internal readonly struct Loan(ValueBuffer buffer) : IDisposable
    {
        public void Dispose() => Return(buffer);
    }
}
