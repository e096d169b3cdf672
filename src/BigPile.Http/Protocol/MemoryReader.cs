using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Protocol;

/// <summary>Reads bytes that lie in memory of any kind.</summary>
/// <remarks>Thread safety: none.</remarks>
internal sealed class MemoryReader(ReadOnlyMemory<byte> rest) : ReadingStream
{
    private ReadOnlyMemory<byte> _rest = rest;

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        int lengthBytes = Math.Min(buffer.Length, _rest.Length);
        _rest.Span[..lengthBytes].CopyTo(buffer);
        _rest = _rest[lengthBytes..];
        return lengthBytes;
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));
}
