using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Protocol;

/// <summary>A stream over memory of any kind.</summary>
/// <remarks>Thread safety: none.</remarks>
internal sealed class MemoryReader(ReadOnlyMemory<byte> rest) : ReadingStream
{
    private ReadOnlyMemory<byte> _rest = rest;

    /// <summary>The maximum number of bytes per read.</summary>
    internal int MaxReadBytes { get; init; } = int.MaxValue;

    /// <summary>Whether the last byte is returned by a separate read.</summary>
    internal bool StopsBeforeLast { get; init; }

    /// <summary>The bytes that are not read yet.</summary>
    internal int RestBytes => _rest.Length;

    /// <summary>The bytes of the last non-empty read.</summary>
    internal int LastReadBytes { get; private set; }

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        int lengthBytes = StopsBeforeLast && _rest.Length > 1 ? _rest.Length - 1 : _rest.Length;
        lengthBytes = Math.Min(Math.Min(buffer.Length, MaxReadBytes), lengthBytes);
        _rest.Span[..lengthBytes].CopyTo(buffer);
        _rest = _rest[lengthBytes..];
        LastReadBytes = lengthBytes == 0 ? LastReadBytes : lengthBytes;
        return lengthBytes;
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));
}
