using System;
using System.Buffers.Binary;
using System.IO;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Caching.Persistence;

/// <summary>Writes numbers, and parts of memory with a checksum each; the numbers and the checksums are summed up at the end.</summary>
internal sealed class ChecksummedWriter(Stream stream) : IDisposable
{
    private readonly MemoryStream _summed = new();

    internal void Write(int value) => WriteSummed(MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in value)));

    internal void Write(long value) => WriteSummed(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in value)));

    internal void Write(ulong value) => WriteSummed(MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in value)));

    internal void Write(Guid value) => WriteSummed(value.ToByteArray());

    internal void WritePart(ReadOnlySpan<byte> part)
    {
        Write((int)Checksum.Of(part));
        stream.Write(part);
    }

    internal void WriteChecksum()
    {
        Span<byte> checksum = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(checksum, Checksum.Of(_summed.GetBuffer().AsSpan(0, (int)_summed.Length)));
        stream.Write(checksum);
    }

    public void Dispose() => _summed.Dispose();

    private void WriteSummed(ReadOnlySpan<byte> bytes)
    {
        _summed.Write(bytes);
        stream.Write(bytes);
    }
}
