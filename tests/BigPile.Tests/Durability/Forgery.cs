using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Numerics;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>Makes up words of a pile's files.</summary>
internal static class Forgery
{
    private const string Segment = "segment-000000";
    private const int PageBytes = 65_536;
    private const int HeadBytes = 64;
    private const int LengthOffset = 12;
    private const int SequenceOffset = 16;
    private const int BodyBytes = 126; // of a superblock with one segment, behind the names of its features

    /// <summary>Bytes to be written over those of a file.</summary>
    internal static (string File, long Place, byte[] Bytes) Make(
        Random random, Dictionary<string, byte[]> files, List<PilePointer> pointers)
    {
        long block = (long)pointers[random.Next(pointers.Count)].Address * 8;
        switch (random.Next(9))
        {
            case 0 or 1:
                return (Segment, HeadBytes + (random.Next(2) == 0 ? block / PageBytes : random.Next(64)) * 8, PageWord(random));
            case 2 or 3:
                return (Segment, block, Header(random, BinaryPrimitives.ReadUInt64LittleEndian(files[Segment].AsSpan((int)block))));
            case 4:
                return OwnerWord(random, files[Segment], block);
            case 5:
                return Superblock(random, files["superblock"]);
            case 6:
                return CatalogRecord(random, files["catalog"]);
            default:
                return Anywhere(random, files);
        }
    }

    internal static byte[] PageWord(byte code, uint runPages, uint generationBase)
    {
        ulong content = ((ulong)(generationBase & 0xFFFFFF) << 32) | ((ulong)(runPages & 0xFFFFFF) << 8) | code;
        return BitConverter.GetBytes(content | ((ulong)BitOperations.Crc32C(0, content) << 56));
    }

    private static byte[] PageWord(Random random)
    {
        byte code = Pick<byte>(random, 0, 1, 30, 117, 118, 200, 253, 254, 254, 254, 255, (byte)random.Next(256));
        uint pages = Pick<uint>(random, 0u, 1u, 2u, 10u, 62u, 63u, 64u, 65u, 0x3FFF, 0xFFFFFF, (uint)random.Next(1 << 24));
        return PageWord(code, pages, Pick<uint>(random, 0u, 0u, 1u, 0xFFFFFF, (uint)random.Next(1 << 24)));
    }

    private static byte[] Header(Random random, ulong present)
    {
        ulong generation = random.Next(4) == 0 ? (ulong)random.Next(1 << 24) << 40 : present & ~((1UL << 40) - 1);
        ulong kind = (ulong)random.Next(8) << 37;
        ulong busy = random.Next(3) == 0 ? 1UL << 36 : 0;
        ulong field = Pick<ulong>(
            random, 0, 7, 8, (1UL << 35) | (uint)random.Next(1 << 30), 0x7FFFFFFF, (1UL << 36) - 1, (ulong)random.NextInt64(1L << 36),
            (ulong)random.Next(1 << 19),
            (ulong)random.Next(100_000), 4UL << 20, 1 << 19);
        return BitConverter.GetBytes(generation | kind | busy | field);
    }

    // A link whose target is another block, which says that it is its own; where the checksum lies, it is made right.
    private static unsafe (string File, long Place, byte[] Bytes) OwnerWord(Random random, byte[] segment, long block)
    {
        var bytes = segment.AsSpan((int)block, 64).ToArray();
        ulong back = Pick<ulong>(
            random, (ulong)random.NextInt64(), (ulong)(block / 8), (ulong)random.Next(1 << 19)) | ((ulong)random.Next(16) << 60);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(8), back);
        uint generation = (uint)(BinaryPrimitives.ReadUInt64LittleEndian(bytes) >> 40);
        int payloadBytes = random.Next(9);
        fixed (byte* start = bytes)
        {
            BlockHeader header = BlockChecksum.Write(
                start, Pick(random, BlockKind.LinkTarget, BlockKind.Object, BlockKind.Utf16String), generation, payloadBytes, 1_000);
            *(ulong*)start = header.Word;
        }
        return (Segment, block, bytes);
    }

    private static (string File, long Place, byte[] Bytes) Superblock(Random random, byte[] file)
    {
        int place = random.Next(2);
        int contentBytes = BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(place * SuperblockFile.CopyBytes + LengthOffset));
        byte[] bytes = file.AsSpan(place * SuperblockFile.CopyBytes, contentBytes + sizeof(uint)).ToArray();
        int start = contentBytes - BodyBytes;
        int at = random.Next(8) == 0
            ? Pick(random, 8, LengthOffset, 24, 32, 40, 48)
            : start + Pick(random, 0, 4, 4, 28, 29, 30, 58, 66, 74, 78, 82, 82, 90, 94, 102);
        byte[] value = Pick<byte[]>(
            random, [0], [1], [0, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255], [255, 255, 255, 255, 255, 255, 255, 127],
            BitConverter.GetBytes(65_536L),
            BitConverter.GetBytes(65_536L * 3), BitConverter.GetBytes(1L << 62), BitConverter.GetBytes(random.Next()),
            BitConverter.GetBytes(random.NextInt64()));
        value.AsSpan(0, Math.Min(value.Length, bytes.Length - at)).CopyTo(bytes.AsSpan(at));
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(SequenceOffset), long.MaxValue / 2); // counts before the other one
        int statedBytes = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(LengthOffset));
        int checkedBytes = statedBytes >= 0 && statedBytes <= contentBytes ? statedBytes : contentBytes;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(checkedBytes), Checksum.Of(bytes.AsSpan(0, checkedBytes)));
        return ("superblock", place * SuperblockFile.CopyBytes, bytes);
    }

    private static (string File, long Place, byte[] Bytes) CatalogRecord(Random random, byte[] file)
    {
        byte[] bytes = file.AsSpan().ToArray();
        bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(bytes);
        if (lengthBytes >= 0 && lengthBytes <= bytes.Length - 12)
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(4), Checksum.Of(bytes.AsSpan(8, lengthBytes + 4)));
        return ("catalog", 0, bytes);
    }

    private static (string File, long Place, byte[] Bytes) Anywhere(Random random, Dictionary<string, byte[]> files)
    {
        string file = Pick(random, "redo", "moved", "stripes", "stripes", "log-0", "log-1", Segment, "superblock", "catalog");
        int range = Math.Min(files[file].Length, Pick(random, 64, 136, 1_024, files[file].Length));
        var bytes = new byte[Math.Min(8, range)];
        Noise.Fill(bytes, random.NextInt64());
        if (random.Next(4) == 0)
            bytes.AsSpan().Fill(Pick<byte>(random, 0, 255));
        return (file, random.Next(range - bytes.Length + 1) & ~7, bytes);
    }

    private static T Pick<T>(Random random, params ReadOnlySpan<T> values) => values[random.Next(values.Length)];
}
