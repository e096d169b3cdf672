using System;
using System.Buffers.Binary;
using System.Diagnostics;

namespace BigPile.Layout;

/// <summary>One changed block in the flush log.</summary>
/// <remarks>
/// <code>
/// address (8 bytes) | header (8) | word of the block's page (8) | n: bytes of the block behind its header (4) | m: later pages of a run
/// (4) | words of the later pages (8 m) | bytes (n)
/// </code>
/// Little-endian. The page word gives the layout that the block belongs to.
/// </remarks>
internal readonly ref struct ChangeRecord
{
    /// <summary>Whether the record holds the last version of an entry instead of a block: address 0 names no block.</summary>
    internal bool IsVersion => Address == 0;

    internal static ChangeRecord OfVersion(ulong lastVersion) => new() { HeaderWord = lastVersion };

    /// <summary>The bytes in front of the words.</summary>
    internal const int HeadBytes = 32;

    internal ulong Address { get; init; }

    internal ulong HeaderWord { get; init; }

    internal ulong PageWord { get; init; }

    /// <summary>The words of a run's later pages, as bytes.</summary>
    internal ReadOnlySpan<byte> TailWords { get; init; }

    /// <summary>Payload and checksums.</summary>
    internal ReadOnlySpan<byte> Bytes { get; init; }

    internal int SizeBytes => HeadBytes + TailWords.Length + Bytes.Length;

    internal void Write(Span<byte> destination)
    {
        Debug.Assert(TailWords.Length % sizeof(ulong) == 0, "The record states whole words, and would be read back shorter.");
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Address);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[8..], HeaderWord);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], PageWord);
        BinaryPrimitives.WriteInt32LittleEndian(destination[24..], Bytes.Length);
        BinaryPrimitives.WriteInt32LittleEndian(destination[28..], TailWords.Length / sizeof(ulong));
        TailWords.CopyTo(destination[HeadBytes..]);
        Bytes.CopyTo(destination[(HeadBytes + TailWords.Length)..]);
    }

    /// <summary>Reads the record at the start of some bytes.</summary>
    /// <returns><see langword="false"/> when there is no complete one.</returns>
    internal static bool TryRead(ReadOnlySpan<byte> source, out ChangeRecord record)
    {
        record = default;
        if (source.Length < HeadBytes)
            return false;
        long bytes = BinaryPrimitives.ReadUInt32LittleEndian(source[24..]);
        long wordBytes = BinaryPrimitives.ReadUInt32LittleEndian(source[28..]) * (long)sizeof(ulong);
        if (bytes + wordBytes > source.Length - HeadBytes)
            return false;
        record = new ChangeRecord
        {
            Address = BinaryPrimitives.ReadUInt64LittleEndian(source),
            HeaderWord = BinaryPrimitives.ReadUInt64LittleEndian(source[8..]),
            PageWord = BinaryPrimitives.ReadUInt64LittleEndian(source[16..]),
            TailWords = source.Slice(HeadBytes, (int)wordBytes),
            Bytes = source.Slice(HeadBytes + (int)wordBytes, (int)bytes),
        };
        return true;
    }
}
