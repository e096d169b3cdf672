using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using BigPile.Storage;

namespace BigPile.Torture.Values;

/// <summary>The bytes of values: each follows from its id and revision, names both, and carries its own checksum.</summary>
/// <remarks>
/// A head of 32 hexadecimal digits (id, revision, length, checksum of what follows), then noise. A patch overwrites the middle half of
/// the noise by that of its own revision. Values shorter than the head are cut off, and are known by comparison only.
/// </remarks>
internal static class ValueBytes
{
    internal const int HeadBytes = 32;
    internal const int MinPatchedBytes = 2 * HeadBytes;

    /// <summary>A part that is overwritten is whole or absent as far as one redo record holds it: 65,472 bytes.</summary>
    internal const int MaxPatchedBytes = 120_000;

    private const ulong PrintableMask = 0x3F3F3F3F3F3F3F3F;
    private const ulong PrintableFloor = 0x3030303030303030;

    internal static byte[] Build(int id, uint revision, uint patchRevision, int lengthBytes)
    {
        var bytes = new byte[Math.Max(lengthBytes, HeadBytes)];
        Span<byte> noise = bytes.AsSpan(HeadBytes);
        AddNoise(noise, id, revision);
        uint checksum = Checksum.Of(noise);
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{id:x8}{revision:x8}{lengthBytes:x8}{checksum:x8}"), bytes);
        if (patchRevision != 0)
            BuildPatch(id, patchRevision, lengthBytes).CopyTo(bytes, PatchOffset(lengthBytes));
        return lengthBytes < HeadBytes ? bytes[..lengthBytes] : bytes;
    }

    internal static byte[] BuildPatch(int id, uint patchRevision, int lengthBytes)
    {
        var patch = new byte[(lengthBytes - HeadBytes) / 2];
        AddNoise(patch, id, patchRevision);
        return patch;
    }

    internal static int PatchOffset(int lengthBytes) => HeadBytes + (lengthBytes - HeadBytes) / 4;

    /// <summary>What bytes say of themselves, for a report.</summary>
    internal static string Describe(ReadOnlySpan<byte> bytes)
    {
        string head = Encoding.ASCII.GetString(bytes[..Math.Min(bytes.Length, HeadBytes)]);
        if (bytes.Length < HeadBytes || !uint.TryParse(head.AsSpan(24), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out uint stated))
            return $"{bytes.Length} bytes without a head: {Convert.ToHexString(bytes[..Math.Min(bytes.Length, HeadBytes)])}";
        string state = Checksum.Of(bytes[HeadBytes..]) == stated ? "whole" : "not whole, or patched";
        return $"{bytes.Length} bytes that say id {head[..8]}, revision {head[8..16]}, length {head[16..24]}, {state}";
    }

    private static void AddNoise(Span<byte> bytes, int id, uint revision)
    {
        ulong state = (((ulong)(uint)id << 32) | revision) * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019;
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        for (int i = 0; i < words.Length; i++)
            words[i] = (Next(ref state) & PrintableMask) + PrintableFloor;
        Span<byte> last = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(last, (Next(ref state) & PrintableMask) + PrintableFloor);
        last[..(bytes.Length % sizeof(ulong))].CopyTo(bytes[(words.Length * sizeof(ulong))..]);
    }

    private static ulong Next(ref ulong state)
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
}
