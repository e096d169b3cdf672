using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Values;

/// <summary>The bytes of values: each follows from its id and revision, names both, and carries its own checksum.</summary>
/// <remarks>
/// A head of 32 hexadecimal digits (id, revision, length, checksum of what follows), then noise, or zeros in memory that was allocated. A
/// patch overwrites the middle half of it by a mark, its own revision and that revision's noise. Values shorter than the head are cut
/// off, and are known by comparison only.
/// </remarks>
internal static class ValueBytes
{
    internal const int HeadBytes = 32;
    internal const int MinPatchedBytes = 2 * HeadBytes;
    internal const int MaxPatchedBytes = 500_000;

    private const ulong PrintableMask = 0x3F3F3F3F3F3F3F3F;
    private const ulong PrintableFloor = 0x3030303030303030;
    private const byte PatchMark = (byte)'~'; // not among the noise
    private const int PatchHeadBytes = 9;

    internal static byte[] Build(int id, in ObjectVersion version) =>
        version.Shape == Shape.Zeros
            ? new byte[version.LengthBytes]
            : Build(id, version.Revision, version.PatchRevision, version.LengthBytes, version.Shape == Shape.Raw);

    internal static byte[] Build(int id, uint revision, uint patchRevision, int lengthBytes, bool isRaw = false)
    {
        var bytes = new byte[Math.Max(lengthBytes, HeadBytes)];
        Span<byte> noise = bytes.AsSpan(HeadBytes);
        if (!isRaw)
            AddNoise(noise, id, revision);
        BuildHead(id, revision, lengthBytes, Checksum.Of(noise)).CopyTo(bytes, 0);
        if (patchRevision != 0)
            BuildPatch(id, patchRevision, lengthBytes).CopyTo(bytes, PatchOffset(lengthBytes));
        return lengthBytes < HeadBytes ? bytes[..lengthBytes] : bytes;
    }

    /// <summary>What a part of memory that was allocated is overwritten by first.</summary>
    internal static byte[] BuildRawHead(int id, uint revision, int lengthBytes) =>
        BuildHead(id, revision, lengthBytes, Checksum.Of(new byte[lengthBytes - HeadBytes]));

    internal static byte[] BuildPatch(int id, uint patchRevision, int lengthBytes)
    {
        var patch = new byte[(lengthBytes - HeadBytes) / 2];
        AddNoise(patch, id, patchRevision);
        patch[0] = PatchMark;
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{patchRevision:x8}"), patch.AsSpan(1));
        return patch;
    }

    internal static int PatchOffset(int lengthBytes) => HeadBytes + (lengthBytes - HeadBytes) / 4;

    /// <summary>Whether each piece of a long part is the old or the new one, the new ones first: a kill may come between two.</summary>
    internal static bool IsBetween(ReadOnlySpan<byte> found, byte[] old, byte[] then)
    {
        if (found.Length != old.Length || old.Length != then.Length)
            return false;
        int at = PatchOffset(old.Length);
        while (at < old.Length)
        {
            if (found.SequenceEqual([.. then.AsSpan(0, at), .. old.AsSpan(at)]))
                return true;
            at += RedoFile.MaxPartBytes;
        }
        return false;
    }

    /// <summary>Reads what bytes say of themselves.</summary>
    /// <param name="bytes">A value of at least a head's length.</param>
    /// <param name="id">Whose value it is.</param>
    /// <param name="version">Revisions, length and shape (bytes or raw).</param>
    /// <returns>Whether the bytes are exactly what was once built.</returns>
    internal static bool TryParse(ReadOnlySpan<byte> bytes, out int id, out ObjectVersion version)
    {
        version = new ObjectVersion { LengthBytes = bytes.Length };
        id = -1;
        if (bytes.Length < HeadBytes || !TryParseHex(bytes[..8], out uint stated) || !TryParseHex(bytes.Slice(8, 8), out version.Revision))
            return false;
        id = (int)stated;
        if (bytes.Length >= MinPatchedBytes && bytes[PatchOffset(bytes.Length)] == PatchMark)
            _ = TryParseHex(bytes.Slice(PatchOffset(bytes.Length) + 1, PatchHeadBytes - 1), out version.PatchRevision);
        if (version.Revision == 0)
            return false;
        if (bytes.SequenceEqual(Build(id, version)))
            return true;
        version.Shape = Shape.Raw;
        return bytes.SequenceEqual(Build(id, version));
    }

    /// <summary>What bytes say of themselves, for a report.</summary>
    internal static string Describe(ReadOnlySpan<byte> bytes)
    {
        string head = Encoding.ASCII.GetString(bytes[..Math.Min(bytes.Length, HeadBytes)]);
        if (bytes.Length < HeadBytes || !uint.TryParse(head.AsSpan(24), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out _))
            return $"{bytes.Length} bytes without a head: {Convert.ToHexString(bytes[..Math.Min(bytes.Length, HeadBytes)])}";
        bool isWhole = TryParse(bytes, out _, out ObjectVersion version);
        return $"{bytes.Length} bytes that say id {head[..8]}, revision {head[8..16]}, length {head[16..24]}, patch "
            + $"{version.PatchRevision:x}, "
            + (isWhole ? "whole" : "not whole");
    }

    private static byte[] BuildHead(int id, uint revision, int lengthBytes, uint checksum) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{id:x8}{revision:x8}{lengthBytes:x8}{checksum:x8}"));

    private static bool TryParseHex(ReadOnlySpan<byte> digits, out uint number) =>
        uint.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);

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
