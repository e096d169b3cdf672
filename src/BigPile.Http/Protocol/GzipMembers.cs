using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Compression;
using BigPile.Http.Limits;

namespace BigPile.Http.Protocol;

/// <summary>Checks that a payload consists of one or more complete gzip members (RFC 1952) and nothing else.</summary>
/// <remarks>
/// The framework's decoder accepts any bytes after a member, and does not report where the member ends. So each member is decoded
/// separately, and its end is found by its trailer: checksum and length of the decoded bytes, 64 bits that do not match by chance.
/// </remarks>
/// <param name="payload">The payload.</param>
/// <param name="buffer">A scratch buffer for decoded bytes.</param>
internal ref struct GzipMembers(ReadOnlyMemory<byte> payload, Span<byte> buffer)
{
    private const int HeadBytes = 10;
    private const int TrailerBytes = 8;
    private const byte HasHeadChecksum = 2;
    private const byte HasExtra = 4;
    private const byte HasName = 8;
    private const byte HasComment = 16;
    private const byte KnownFlags = 31;

    private readonly ReadOnlyMemory<byte> _payload = payload;
    private readonly Span<byte> _buffer = buffer;
    private int _at;

    private static ReadOnlySpan<byte> Magic => [0x1F, 0x8B, 8]; // deflate, the only method

    /// <summary>Decodes all members.</summary>
    /// <param name="maxBytes">The maximum number of decoded bytes; the check stops beyond it.</param>
    /// <param name="budget">Stops the work when the request is over.</param>
    /// <param name="decodedBytes">Is increased by the decoded bytes.</param>
    /// <returns>Whether there is at least one member and all are complete.</returns>
    /// <exception cref="InvalidDataException">The compressed data are damaged.</exception>
    internal bool AreWhole(long maxBytes, DecodeBudget budget, ref long decodedBytes)
    {
        do
        {
            if (!TryPassHead() || !TryPassData(maxBytes, budget, ref decodedBytes))
                return false;
        }
        while (_at < _payload.Length);
        return true;
    }

    private bool TryPassHead()
    {
        ReadOnlySpan<byte> head = _payload.Span[_at..];
        if (head.Length < HeadBytes || !head.StartsWith(Magic) || head[3] > KnownFlags)
            return false;
        byte flags = head[3];
        ReadOnlySpan<byte> rest = head[HeadBytes..];
        if ((flags & HasExtra) != 0)
        {
            int extraBytes = rest.Length < 2 ? int.MaxValue : 2 + BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (extraBytes > rest.Length)
                return false;
            rest = rest[extraBytes..];
        }
        if ((flags & HasName) != 0 && !TryPassText(ref rest))
            return false;
        if ((flags & HasComment) != 0 && !TryPassText(ref rest))
            return false;
        if ((flags & HasHeadChecksum) != 0)
        {
            if (rest.Length < 2)
                return false;
            rest = rest[2..];
        }
        _at = _payload.Length - rest.Length;
        return true;
    }

    private static bool TryPassText(ref ReadOnlySpan<byte> rest)
    {
        int end = rest.IndexOf((byte)0);
        rest = rest[(end + 1)..];
        return end >= 0;
    }

    private bool TryPassData(long maxBytes, DecodeBudget budget, ref long decodedBytes)
    {
        long before = decodedBytes;
        using var source = new MemoryReader(_payload[_at..]);
        uint checksum = Decode(source, maxBytes, budget, ref decodedBytes);
        if (decodedBytes > maxBytes)
            return false;
        int lastRead = _payload.Length - source.RestBytes - source.LastReadBytes;
        return decodedBytes == before
            ? lastRead == _at && TryPassNothing(budget)
            : TryPassTrailer(lastRead, lastRead + source.LastReadBytes, checksum, (uint)(decodedBytes - before));
    }

    // The trailer of empty data is all zeros, and so may be the bytes before it. The end of the data is therefore found byte by byte, which
    // is cheap: an honest encoder writes empty data in a few bytes, and only as many as the decoder reads at once are tried.
    private bool TryPassNothing(DecodeBudget budget)
    {
        using var source = new MemoryReader(_payload[_at..]) { MaxReadBytes = 1 };
        long none = 0;
        _ = Decode(source, 0, budget, ref none);
        int end = _payload.Length - source.RestBytes;
        return TryPassTrailer(end, end, 0, 0);
    }

    private readonly uint Decode(MemoryReader source, long maxBytes, DecodeBudget budget, ref long decodedBytes)
    {
        using var decoder = new DeflateStream(source, CompressionMode.Decompress, leaveOpen: true);
        uint checksum = 0;
        for (int read = 1; read != 0 && decodedBytes <= maxBytes; decodedBytes += read)
        {
            budget.ThrowIfStopped();
            read = decoder.Read(_buffer);
            checksum = GzipChecksum.Add(checksum, _buffer[..read]);
        }
        return checksum;
    }

    // The compressed data ends somewhere in the last read.
    private bool TryPassTrailer(int from, int to, uint checksum, uint lengthBytes)
    {
        Span<byte> trailer = stackalloc byte[TrailerBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(trailer, checksum);
        BinaryPrimitives.WriteUInt32LittleEndian(trailer[4..], lengthBytes);
        int place = _payload.Span[from..Math.Min(_payload.Length, to + TrailerBytes)].IndexOf(trailer);
        _at = from + place + TrailerBytes;
        return place >= 0;
    }
}
