using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Numerics;

namespace BigPile.Layout;

/// <summary>What a mapped pile states of itself as a whole.</summary>
internal sealed class SuperblockState
{
    internal const int CurrentFormat = 5;

    /// <summary>The format of a shared pile, which no version may open that does not know what that is.</summary>
    internal const int SharedFormat = 6;

    /// <summary>The byte behind the sequence.</summary>
    internal const int SequenceEnd = SequenceOffset + sizeof(long);

    private const int SequenceOffset = 41;
    private const int FirstFormatWithGenerations = 2;
    private const int FirstFormatWithCatalog = 3;
    private const int FirstFormatWithIndexSet = 5;
    private const ulong LeastVersion = 1UL << 40;
    private const byte ChecksumsFlag = 1;
    private const byte SharedFlag = 2;
    private const byte InUse = 0;
    private const byte Closed = 1;
    private const byte InUseAfterCut = 2;
    private const byte ExaminedAfterCut = 3;
    private const ulong Magic = 0x50554C4950474942; // "BIGPILUP"

    internal Guid PileId { get; init; }

    internal int PageBytes { get; init; }

    internal long SegmentBytes { get; init; }

    /// <summary>Whether blocks carry checksums; decided when the pile was made.</summary>
    internal bool HasChecksums { get; init; }

    /// <summary>Whether nothing of it is written through to a device: it means nothing once the machine was started anew.</summary>
    internal bool IsShared { get; init; }

    /// <summary>How often the superblock was written; of its two places the higher one counts.</summary>
    internal long Sequence { get; set; }

    /// <summary>Whether the last owner closed the pile.</summary>
    internal bool IsClean { get; set; }

    /// <summary>Whether pages may have traces of a power cut that no owner has examined yet; of a pile that is closed none has.</summary>
    internal bool HasTracesOfCut { get; set; }

    /// <summary>
    /// Whether the device may have marks of deletions that an owner made after a power cut: there was no checkpoint since. A pile with
    /// traces of a cut has them as well.
    /// </summary>
    internal bool HasMarksOfCut { get; set; }

    /// <summary>The generation at which all new segments start at least; as format 1 left it.</summary>
    internal uint GenerationBase { get; set; }

    /// <summary>No entry of a table has a version above this.</summary>
    internal ulong VersionLimit { get; set; }

    /// <summary>The start of the machine during which the pile was opened last; empty where the system does not tell.</summary>
    internal Guid BootId { get; set; }

    /// <summary>The number that batches of the flush log must have to count.</summary>
    internal long LogEpoch { get; set; }

    /// <summary>The bytes of the catalog when the pile was closed; without meaning while it is open.</summary>
    internal long CatalogBytes { get; set; }

    /// <summary>The bytes of the catalog that were written through when this was written; 0 as earlier formats than 3 leave it.</summary>
    internal long DurableCatalogBytes { get; set; }

    /// <summary>
    /// The last version of an entry that the last checkpoint, or closing, had; 0 where that is not known, and without meaning while it is
    /// closed.
    /// </summary>
    internal ulong FlushedVersion { get; set; }

    /// <summary>
    /// While there are traces of a power cut: no entry that was put before it has a version above this, and all put since have one.
    /// </summary>
    internal ulong CutVersion { get; set; }

    /// <summary>
    /// The number of the tables' indexes that go with the entries; empty where there are none, as behind a power cut. Formats before 5 have
    /// none.
    /// </summary>
    internal Guid IndexSet { get; set; }

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal SortedDictionary<int, long> Segments { get; private set; } = [];

    /// <summary>The numbers whose segments were given back, and above which generation a new one starts. Format 1 has none.</summary>
    internal SortedDictionary<int, uint> Generations { get; private set; } = [];

    /// <summary>A copy that can be changed, and thrown away when it can't be written.</summary>
    internal SuperblockState Copy()
    {
        var copy = (SuperblockState)MemberwiseClone();
        copy.Generations = new SortedDictionary<int, uint>(Generations);
        copy.Segments = new SortedDictionary<int, long>(Segments);
        return copy;
    }

    /// <summary>Whether it differs from another one in nothing but its sequence.</summary>
    internal bool SaysSameAs(SuperblockState other)
    {
        SuperblockState same = other.Copy();
        same.Sequence = Sequence;
        return same.Encode().AsSpan().SequenceEqual(Encode());
    }

    internal byte[] Encode()
    {
        Debug.Assert(!IsClean || !HasTracesOfCut, "A closed pile has no traces of a power cut, and no byte that could say so.");
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(Magic);
        writer.Write(IsShared ? SharedFormat : CurrentFormat);
        writer.Write(PageBytes);
        writer.Write(SegmentBytes);
        writer.Write(PileId.ToByteArray());
        writer.Write((byte)((HasChecksums ? ChecksumsFlag : 0) | (IsShared ? SharedFlag : 0)));
        writer.Write(Sequence);
        writer.Write(Use);
        writer.Write(GenerationBase);
        writer.Write(VersionLimit);
        writer.Write(BootId.ToByteArray());
        writer.Write(LogEpoch);
        writer.Write(IsClean ? (ulong)CatalogBytes : FlushedVersion);
        writer.Write(Segments.Count);
        foreach ((int number, long lengthBytes) in Segments)
        {
            writer.Write(number);
            writer.Write(lengthBytes);
        }
        writer.Write(Generations.Count);
        foreach ((int number, uint generation) in Generations)
        {
            writer.Write(number);
            writer.Write(generation);
        }
        writer.Write(DurableCatalogBytes);
        writer.Write(CutVersion);
        writer.Write(IndexSet.ToByteArray());
        writer.Write(Checksum.Of(stream.GetBuffer().AsSpan(0, (int)stream.Length)));
        return stream.ToArray();
    }

    /// <summary>Reads one of the two places.</summary>
    /// <returns>Null when there is nothing whole.</returns>
    /// <exception cref="PileStorageException">It is whole, but of a format that this version does not know.</exception>
    internal static SuperblockState? TryDecode(byte[] bytes, string path)
    {
        using var stream = new MemoryStream(bytes);
        using var reader = new BinaryReader(stream);
        try
        {
            if (reader.ReadUInt64() != Magic)
                return null;
            int format = reader.ReadInt32();
            if (format > SharedFormat)
            {
                throw new PileStorageException(
                    $"'{path}' is of format {format}; this version reads formats up to {SharedFormat}. Open it with a newer version.");
            }
            SuperblockState state = ReadBody(reader, format);
            var checksummed = new ReadOnlySpan<byte>(bytes, 0, (int)stream.Position);
            return reader.ReadUInt32() == Checksum.Of(checksummed) ? state : null;
        }
        catch (EndOfStreamException)
        {
            return null;
        }
    }

    /// <summary>The sequence that a place states which is not whole; 0 when it states none.</summary>
    internal static long SequenceIn(ReadOnlySpan<byte> bytes) =>
        BinaryPrimitives.ReadUInt64LittleEndian(bytes) == Magic ? BinaryPrimitives.ReadInt64LittleEndian(bytes[SequenceOffset..]) : 0;

    /// <summary>What can't be true of any pile, though the checksum is right; null if nothing is.</summary>
    internal string? Contradiction()
    {
        if (SegmentBytes is < SegmentHead.MinSegmentBytes or > SegmentHead.MaxSegmentBytes || !BitOperations.IsPow2(SegmentBytes))
            return $"segments of {SegmentBytes:N0} bytes";
        if (GenerationBase > PilePointer.MaxGeneration)
            return $"a generation base of {GenerationBase:N0}";
        if (DurableCatalogBytes < 0)
            return $"a catalog of {DurableCatalogBytes:N0} bytes";
        return null;
    }

    private byte Flags
    {
        init
        {
            HasChecksums = (value & ChecksumsFlag) != 0;
            IsShared = (value & SharedFlag) != 0;
        }
    }

    private byte Use
    {
        get => IsClean ? Closed : HasTracesOfCut ? InUseAfterCut : HasMarksOfCut ? ExaminedAfterCut : InUse;
        init
        {
            IsClean = value == Closed;
            HasTracesOfCut = value == InUseAfterCut;
            HasMarksOfCut = value is InUseAfterCut or ExaminedAfterCut;
        }
    }

    // One field for both: the use, which is read before it, says which it is. Where an owner of format 1 was killed it may still have the
    // catalog's length of an earlier closing, which is lower than any version.
    private ulong BytesOrVersion
    {
        init
        {
            CatalogBytes = IsClean ? (long)value : 0;
            FlushedVersion = IsClean || value < LeastVersion ? 0 : value;
        }
    }

    private static SuperblockState ReadBody(BinaryReader reader, int format)
    {
        var state = new SuperblockState
        {
            PageBytes = reader.ReadInt32(),
            SegmentBytes = reader.ReadInt64(),
            PileId = ReadGuid(reader),
            Flags = format >= SharedFormat ? reader.ReadByte() : reader.ReadBoolean() ? ChecksumsFlag : (byte)0,
            Sequence = reader.ReadInt64(),
            Use = reader.ReadByte(),
            GenerationBase = reader.ReadUInt32(),
            VersionLimit = reader.ReadUInt64(),
            BootId = ReadGuid(reader),
            LogEpoch = reader.ReadInt64(),
            BytesOrVersion = reader.ReadUInt64(),
        };
        int count = reader.ReadInt32();
        for (int i = 0; i < count; i++)
            state.Segments[reader.ReadInt32()] = reader.ReadInt64();
        int givenBack = format >= FirstFormatWithGenerations ? reader.ReadInt32() : 0;
        for (int i = 0; i < givenBack; i++)
            state.Generations[reader.ReadInt32()] = reader.ReadUInt32();
        if (format >= FirstFormatWithCatalog)
            state.DurableCatalogBytes = reader.ReadInt64();
        if (format >= FirstFormatWithCatalog || state.Use == InUseAfterCut)
            state.CutVersion = reader.ReadUInt64();
        if (format >= FirstFormatWithIndexSet)
            state.IndexSet = ReadGuid(reader);
        return state;
    }

    private static Guid ReadGuid(BinaryReader reader)
    {
        byte[] bytes = reader.ReadBytes(16);
        return bytes.Length == 16 ? new Guid(bytes) : throw new EndOfStreamException();
    }
}
