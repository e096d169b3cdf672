using System;
using System.Buffers;
using Microsoft.Extensions.ObjectPool;

namespace BigPile.AspNetCore.Entries;

/// <summary>A growing buffer for one value, on arrays of the shared pool.</summary>
/// <remarks>Thread safety: none; a buffer belongs to one request at a time.</remarks>
internal sealed class ValueBuffer : IBufferWriter<byte>, IResettable
{
    private const int MinArrayBytes = 4096;

    private static readonly DefaultObjectPool<ValueBuffer> Pool = new(new DefaultPooledObjectPolicy<ValueBuffer>(), maximumRetained: 1024);

    private byte[] _array = [];
    private int _lengthBytes;

    /// <summary>The bytes written; valid until the next write.</summary>
    internal ReadOnlySpan<byte> WrittenSpan => _array.AsSpan(0, _lengthBytes);

    /// <summary>The bytes written; valid until the next write.</summary>
    internal ReadOnlyMemory<byte> WrittenMemory => _array.AsMemory(0, _lengthBytes);

    internal static ValueBuffer Rent() => Pool.Get();

    internal static void Return(ValueBuffer buffer) => Pool.Return(buffer);

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _array.AsMemory(_lengthBytes);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _array.AsSpan(_lengthBytes);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _array.Length - _lengthBytes);
        _lengthBytes += count;
    }

    /// <summary>Gives the array back, so that an idle buffer holds no memory.</summary>
    public bool TryReset()
    {
        Swap([]);
        _lengthBytes = 0;
        return true;
    }

    private void EnsureRoom(int sizeHint)
    {
        int neededBytes = checked(_lengthBytes + Math.Max(sizeHint, 1));
        if (neededBytes <= _array.Length)
            return;
        long grownBytes = Math.Max(MinArrayBytes, _array.Length * 2L);
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Clamp(grownBytes, neededBytes, Array.MaxLength));
        WrittenSpan.CopyTo(larger);
        Swap(larger);
    }

    private void Swap(byte[] array)
    {
        if (_array.Length != 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = array;
    }
}
