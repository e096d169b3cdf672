using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>The 32 bytes in front of a record's key and value.</summary>
/// <remarks>
/// Word 0: <see cref="ExtentWord"/>. Word 1: bits 47..0, the offset of the next record of the chain, or 0, which no checksum covers; bits
/// 63..48, the tag. Word 2: bits 47..0, the sequence; bits 63..48, the key's length. Word 3: bits 31..0, the value's length; bits 63..32,
/// the checksum. The tag is the checksum after the key, folded to 16 bits: a search that passes the record can verify its key without
/// reading its value.
/// </remarks>
internal readonly struct RecordHead
{
    internal const int Bytes = 32;

    /// <summary>Offset of word 1 within a record.</summary>
    internal const int NextAt = 8;

    internal const long MaxSequence = (1L << 48) - 1;

    /// <summary>The lowest bit of the tag in word 1.</summary>
    internal const int TagShift = 48;

    private const int KeyShift = 48;
    private const ulong NextMask = (1UL << TagShift) - 1;

    private readonly ulong _word1;
    private readonly ulong _word2;
    private readonly ulong _word3;

    private RecordHead(ExtentWord word, ulong word1, ulong word2, ulong word3)
    {
        Word = word;
        _word1 = word1;
        _word2 = word2;
        _word3 = word3;
    }

    internal ExtentWord Word { get; }

    internal long Next => NextOf(_word1);

    internal ushort Tag => TagOfLink(_word1);

    internal long Sequence => (long)_word2 & MaxSequence;

    internal int KeyLength => (int)(_word2 >> KeyShift);

    internal long ValueLength => (uint)_word3;

    internal long NeededBytes => Bytes + KeyLength + ValueLength;

    internal static RecordHead Read(ReadOnlySpan<byte> source) => new(
        new ExtentWord(BinaryPrimitives.ReadUInt64LittleEndian(source)), BinaryPrimitives.ReadUInt64LittleEndian(source[NextAt..]),
        BinaryPrimitives.ReadUInt64LittleEndian(source[16..]), BinaryPrimitives.ReadUInt64LittleEndian(source[24..]));

    /// <summary>Makes a head with its checksum and tag.</summary>
    internal static RecordHead Of(
        ExtentWord word, long next, long sequence, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long offset, FileLayout layout)
    {
        Debug.Assert(sequence is > 0 and <= MaxSequence, "A record has a sequence that fits beside the key's length.");
        Debug.Assert(key.Length <= HashDatabaseOptions.LongestKey, "The key's length fits beside the sequence.");
        var bare = new RecordHead(word, 0, (ulong)sequence | ((ulong)key.Length << KeyShift), (uint)value.Length);
        uint checksum = Crc32C.Add(bare.BeginChecksum(offset, layout.Salt), key);
        ulong word1 = LinkOf(next, layout.HasTags ? TagOf(checksum) : (ushort)0);
        return new RecordHead(word, word1, bare._word2, bare._word3 | ((ulong)Crc32C.Add(checksum, value) << 32));
    }

    /// <summary>The tag that the record must have.</summary>
    internal ushort TagFor(ReadOnlySpan<byte> key, long offset, FileLayout layout) =>
        layout.HasTags ? TagOf(Crc32C.Add(BeginChecksum(offset, layout.Salt), key)) : (ushort)0;

    /// <summary>Makes word 1 of a record from the next offset and the tag, which never changes.</summary>
    internal static ulong LinkOf(long next, ushort tag)
    {
        Debug.Assert((ulong)next <= NextMask, "The offset leaves the bits of the tag free.");
        return (ulong)next | ((ulong)tag << TagShift);
    }

    /// <summary>The next offset of a word 1.</summary>
    internal static long NextOf(ulong link) => (long)(link & NextMask);

    internal void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Word.Bits);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[NextAt..], _word1);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], _word2);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[24..], _word3);
    }

    /// <summary>Starts the checksum with the fields of this head; key and value are added to it.</summary>
    internal uint BeginChecksum(long offset, ulong salt) => RecordChecksum.Begin(
        salt ^ (ulong)offset, _word2, (uint)_word3 | (Word.Kind == ExtentKind.Tombstone ? 1UL << 32 : 0));

    internal bool Matches(uint checksum) => checksum == (uint)(_word3 >> 32);

    /// <summary>The tag of a word 1.</summary>
    internal static ushort TagOfLink(ulong link) => (ushort)(link >> TagShift);

    /// <summary>Whether the tag matches the checksum after the key.</summary>
    internal bool HasTagOf(uint checksumOfKey) => Tag == TagOf(checksumOfKey);

    /// <summary>Whether an extent of this file can begin at the offset, and holds what the head states.</summary>
    internal bool Fits(long offset, long end, int alignmentShift, ulong salt) =>
        Word.IsOf(offset, salt) && ValueLength <= HashDatabaseOptions.LongestValue
        && Word.Units << alignmentShift <= end - offset && NeededBytes <= Word.Units << alignmentShift;

    private static ushort TagOf(uint checksum) => (ushort)(checksum ^ (checksum >> 16));
}

/// <summary>Starts the checksum of a record or state: CRC-32C without the final complement, to which the parts are added.</summary>
internal static class RecordChecksum
{
    internal static uint Begin(ulong first, ulong second, ulong third) =>
        BitOperations.Crc32C(BitOperations.Crc32C(BitOperations.Crc32C(Crc32C.Seed, first), second), third);
}
