using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Layout;

namespace BigPile.Caching.Persistence;

/// <summary>Reads what a <see cref="ChecksummedWriter"/> wrote.</summary>
/// <remarks>A part that is not what its checksum says is an <see cref="InvalidDataException"/>.</remarks>
internal sealed class ChecksummedReader(FileStream stream) : IDisposable
{
    private readonly MemoryStream _summed = new();
    private readonly byte[] _word = new byte[16];

    internal int ReadInt32() => BinaryPrimitives.ReadInt32LittleEndian(ReadSummed(sizeof(int)));

    internal long ReadInt64() => BinaryPrimitives.ReadInt64LittleEndian(ReadSummed(sizeof(long)));

    internal ulong ReadUInt64() => BinaryPrimitives.ReadUInt64LittleEndian(ReadSummed(sizeof(ulong)));

    internal Guid ReadGuid() => new(ReadSummed(16));

    internal void ReadPart(Span<byte> part)
    {
        uint checksum = (uint)ReadInt32();
        stream.ReadExactly(part);
        if (Checksum.Of(part) != checksum)
            throw new InvalidDataException("A part of the file is damaged.");
    }

    /// <summary>Refuses a number of things that the rest of the file can't hold, before memory is taken for them.</summary>
    internal void CheckRoomFor(ulong count, int sizeBytes)
    {
        if (count > (ulong)(stream.Length - stream.Position) / (ulong)sizeBytes)
            throw new InvalidDataException("The file is too short for what it states.");
    }

    internal bool IsChecksumRight()
    {
        uint expected = Checksum.Of(_summed.GetBuffer().AsSpan(0, (int)_summed.Length));
        return (uint)ReadInt32() == expected;
    }

    public void Dispose() => _summed.Dispose();

    private ReadOnlySpan<byte> ReadSummed(int lengthBytes)
    {
        Span<byte> bytes = _word.AsSpan(0, lengthBytes);
        stream.ReadExactly(bytes);
        _summed.Write(bytes);
        return bytes;
    }
}
