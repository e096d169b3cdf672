using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;

namespace BigPile.Layout;

/// <summary>The encoding of one copy of the superblock.</summary>
/// <remarks>
/// Since format 7 magic, format, length, sequence and features come first, so that later versions may change the rest.
/// </remarks>
internal sealed partial class SuperblockState
{
    /// <summary>The bytes that hold the sequence, in any format.</summary>
    internal const int SequenceEnd = LegacySequenceOffset + sizeof(long);

    private const int SequenceOffset = 16;
    private const int LegacySequenceOffset = 41;
    private const int FormatOffset = 8;
    private const int LengthOffset = 12;
    private const int FirstFormatWithGenerations = 2;
    private const int FirstFormatWithCatalog = 3;
    private const int FirstFormatWithIndexSet = 5;
    private const int FormatOfSharedPiles = 6;
    private const int FirstFormatWithFeatures = 7;
    private const ulong LeastVersion = 1UL << 40;
    private const byte ChecksumsFlag = 1;
    private const byte SharedFlag = 2;
    private const byte InUse = 0;
    private const byte Closed = 1;
    private const byte InUseAfterCut = 2;
    private const byte RecoveredAfterCut = 3;
    private const long MostWrites = long.MaxValue / 2; // more than any device survives
    private const ulong Magic = 0x50554C4950474942; // "BIGPILUP"

    internal byte[] Encode()
    {
        Debug.Assert(!IsClean || !HasTracesOfCut, "A closed pile has no traces of a power cut, and no byte that could say so.");
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(Magic);
        writer.Write(CurrentFormat);
        writer.Write(0); // the length, stored below
        writer.Write(Sequence);
        Features.Write(writer);
        writer.Write(PageBytes);
        writer.Write(SegmentBytes);
        writer.Write(PileId.ToByteArray());
        writer.Write((byte)((HasChecksums ? ChecksumsFlag : 0) | (IsShared ? SharedFlag : 0)));
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
        writer.Write(UnknownFields);
        int contentBytes = (int)stream.Length;
        writer.Seek(LengthOffset, SeekOrigin.Begin);
        writer.Write(contentBytes);
        writer.Seek(0, SeekOrigin.End);
        writer.Write(Checksum.Of(stream.GetBuffer().AsSpan(0, contentBytes)));
        return stream.ToArray();
    }

    /// <summary>Decodes one of the two copies.</summary>
    /// <returns>Null when it is not intact.</returns>
    /// <exception cref="PileStorageException">This version does not know its format, or a feature that it uses.</exception>
    internal static SuperblockState? TryDecode(ArraySegment<byte> bytes, string path)
    {
        using var stream = new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count);
        using var reader = new BinaryReader(stream);
        try
        {
            if (reader.ReadUInt64() != Magic)
                return null;
            int format = reader.ReadInt32();
            if (format > CurrentFormat)
            {
                throw new PileStorageException(
                    $"'{path}' is of format {format}; this version reads formats up to {CurrentFormat}. Open it with a newer version.");
            }
            return format >= FirstFormatWithFeatures ? TryDecodeFeatured(bytes, path) : TryDecodeLegacy(reader, format, bytes);
        }
        catch (EndOfStreamException)
        {
            return null;
        }
    }

    // The length comes first, so the checksum is verified before anything that this version may not know.
    private static SuperblockState? TryDecodeFeatured(ArraySegment<byte> bytes, string path)
    {
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(LengthOffset));
        if (lengthBytes < SequenceOffset || lengthBytes > bytes.Count - sizeof(uint)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(lengthBytes)) != Checksum.Of(bytes.AsSpan(0, lengthBytes)))
            return null;
        using var stream = new MemoryStream(bytes.Array!, bytes.Offset + SequenceOffset, lengthBytes - SequenceOffset);
        using var reader = new BinaryReader(stream);
        long sequence = reader.ReadInt64();
        Features features = Features.Read(reader);
        if (features.Unknown(FeatureWord.Refuse) is { } unknown)
        {
            throw new PileStorageException(
                $"'{path}' makes use of the feature {unknown}, which this version does not know. Open it with a newer version.");
        }
        SuperblockState state = ReadBody(reader, CurrentFormat);
        state.Sequence = sequence;
        state.Features = features;
        state.Format = CurrentFormat;
        state.UnknownFields = reader.ReadBytes((int)(stream.Length - stream.Position));
        return state;
    }

    // The first write converts it to the current format, with the features that its blocks use.
    private static SuperblockState? TryDecodeLegacy(BinaryReader reader, int format, ArraySegment<byte> bytes)
    {
        SuperblockState state = ReadBody(reader, format);
        ReadOnlySpan<byte> checksummed = bytes.AsSpan(0, (int)reader.BaseStream.Position);
        if (reader.ReadUInt32() != Checksum.Of(checksummed))
            return null;
        state.Format = format;
        Features features = Features.OfNewPile(state.HasChecksums);
        state.Features = state.HasChecksums ? features.With(Feature.LegacyBlockChecksums) : features;
        return state;
    }

    /// <summary>The sequence in a copy that is not intact; 0 when it has none.</summary>
    internal static long SequenceIn(ReadOnlySpan<byte> bytes)
    {
        if (BinaryPrimitives.ReadUInt64LittleEndian(bytes) != Magic)
            return 0;
        int format = BinaryPrimitives.ReadInt32LittleEndian(bytes[FormatOffset..]);
        return BinaryPrimitives.ReadInt64LittleEndian(bytes[(format >= FirstFormatWithFeatures ? SequenceOffset : LegacySequenceOffset)..]);
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
        get => IsClean ? Closed : HasTracesOfCut ? InUseAfterCut : HasMarksOfCut ? RecoveredAfterCut : InUse;
        init
        {
            IsClean = value == Closed;
            HasTracesOfCut = value == InUseAfterCut;
            HasMarksOfCut = value is InUseAfterCut or RecoveredAfterCut;
        }
    }

    // One field for both: the use byte, which is read before, says which it is. An owner of format 1 that was killed may have left the
    // catalog's length of an earlier close here, which is below any version.
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
            Flags = format >= FormatOfSharedPiles ? reader.ReadByte() : reader.ReadBoolean() ? ChecksumsFlag : (byte)0,
            Sequence = format >= FirstFormatWithFeatures ? 0 : reader.ReadInt64(),
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
