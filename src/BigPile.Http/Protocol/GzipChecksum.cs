using System;

namespace BigPile.Http.Protocol;

/// <summary>Gzip's checksum: CRC-32 (ISO 3309; RFC 1952, 8), eight bytes at a time by tables (Intel's slicing-by-8).</summary>
internal static class GzipChecksum
{
    private const uint Polynomial = 0xEDB88320;
    private const int Slices = 8;

    private static readonly uint[] Tables = MakeTables();

    /// <summary>Extends a checksum by more bytes.</summary>
    /// <param name="checksum">The checksum so far; 0 at the start.</param>
    /// <param name="bytes">The next bytes.</param>
    internal static uint Add(uint checksum, ReadOnlySpan<byte> bytes)
    {
        uint crc = ~checksum;
        ReadOnlySpan<uint> tables = Tables;
        for (; bytes.Length >= Slices; bytes = bytes[Slices..])
        {
            uint low = crc ^ (bytes[0] | ((uint)bytes[1] << 8) | ((uint)bytes[2] << 16) | ((uint)bytes[3] << 24));
            crc = tables[(7 * 256) + (byte)low] ^ tables[(6 * 256) + (byte)(low >> 8)] ^ tables[(5 * 256) + (byte)(low >> 16)]
                ^ tables[(4 * 256) + (int)(low >> 24)] ^ tables[(3 * 256) + bytes[4]] ^ tables[(2 * 256) + bytes[5]]
                ^ tables[256 + bytes[6]] ^ tables[bytes[7]];
        }
        foreach (byte one in bytes)
            crc = tables[(byte)(crc ^ one)] ^ (crc >> 8);
        return ~crc;
    }

    private static uint[] MakeTables()
    {
        var tables = new uint[Slices * 256];
        for (uint i = 0; i < tables.Length; i++)
        {
            uint crc = i < 256 ? i : tables[i - 256];
            for (int bit = 0; bit < 8; bit++)
                crc = (crc >> 1) ^ ((crc & 1) == 0 ? 0 : Polynomial);
            tables[i] = crc;
        }
        return tables;
    }
}
