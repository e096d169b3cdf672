using System;
using System.Buffers.Binary;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>What precedes key and value in a room.</summary>
/// <remarks>
/// Word 0: <see cref="RoomWord"/>. Word 1: the offset of the next record of the chain, or 0; no checksum has it. Word 2: the sequence in
/// bits 47..0, the key's length in bits 63..48. Word 3: the value's length in bits 31..0, the checksum in bits 63..32.
/// </remarks>
internal readonly struct RecordHead
{
    internal const int Bytes = 32;

    /// <summary>Where in a record the offset of the next one lies.</summary>
    internal const int NextAt = 8;

    internal const long MaxSequence = (1L << 48) - 1;

    private const int KeyShift = 48;

    private readonly ulong _word2;
    private readonly ulong _word3;

    private RecordHead(RoomWord word, long next, ulong word2, ulong word3)
    {
        Word = word;
        Next = next;
        _word2 = word2;
        _word3 = word3;
    }

    internal RoomWord Word { get; }

    internal long Next { get; }

    internal long Sequence => (long)_word2 & MaxSequence;

    internal int KeyLength => (int)(_word2 >> KeyShift);

    internal long ValueLength => (uint)_word3;

    internal long NeededBytes => Bytes + KeyLength + ValueLength;

    internal static RecordHead Read(ReadOnlySpan<byte> source) => new(
        new RoomWord(BinaryPrimitives.ReadUInt64LittleEndian(source)), BinaryPrimitives.ReadInt64LittleEndian(source[NextAt..]),
        BinaryPrimitives.ReadUInt64LittleEndian(source[16..]), BinaryPrimitives.ReadUInt64LittleEndian(source[24..]));

    /// <summary>A head with its checksum.</summary>
    internal static RecordHead Of(
        RoomWord word, long next, long sequence, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long offset, ulong salt)
    {
        var bare = new RecordHead(word, next, (ulong)sequence | ((ulong)key.Length << KeyShift), (uint)value.Length);
        uint checksum = Crc32C.Add(Crc32C.Add(bare.BeginChecksum(offset, salt), key), value);
        return new RecordHead(word, next, bare._word2, bare._word3 | ((ulong)checksum << 32));
    }

    internal void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Word.Bits);
        BinaryPrimitives.WriteInt64LittleEndian(destination[NextAt..], Next);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], _word2);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[24..], _word3);
    }

    /// <summary>The checksum of what is stated here; key and value are to be added to it.</summary>
    internal uint BeginChecksum(long offset, ulong salt) => RecordChecksum.Begin(
        salt ^ (ulong)offset, _word2, (uint)_word3 | (Word.Kind == RoomKind.Tombstone ? 1UL << 32 : 0));

    /// <summary>Whether this is the checksum of it all.</summary>
    internal bool Matches(uint checksum) => checksum == (uint)(_word3 >> 32);

    /// <summary>Whether a room of this file can begin so at an offset, and has what the head says.</summary>
    internal bool Fits(long offset, long end, int alignmentShift, ulong salt) =>
        Word.IsOf(offset, salt) && ValueLength <= HashDatabaseOptions.LongestValue
        && Word.Units << alignmentShift <= end - offset && NeededBytes <= Word.Units << alignmentShift;
}
