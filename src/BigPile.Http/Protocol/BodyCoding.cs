using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO;
using System.IO.Compression;
using BigPile.Http.Limits;

namespace BigPile.Http.Protocol;

/// <summary>Checks before a compressed payload is stored that it can be decompressed, and to how many bytes.</summary>
/// <remarks>
/// The decompressed bytes are discarded: a decompression bomb costs its limit in time, and one buffer in memory. Each coding marks its end;
/// that is checked here, because the framework's streams accept truncated payloads.
/// </remarks>
internal static class BodyCoding
{
    private const int BufferBytes = 32 * 1024;

    /// <summary>Checks a payload.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="coding">Its coding.</param>
    /// <param name="maxDecodedBytes">The maximum decompressed size, in bytes.</param>
    /// <param name="budget">The request's budget for all its payloads.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    /// <exception cref="OperationCanceledException">The request was aborted or timed out.</exception>
    internal static Problem? Check(ReadOnlyMemory<byte> payload, ContentCoding coding, long maxDecodedBytes, DecodeBudget budget)
    {
        if (coding == ContentCoding.Identity)
            return null;
        if (budget.LeftBytes <= 0)
            return ProblemCatalog.DecodedBatchTooLarge; // before decoding: the decoder works in blocks of megabytes
        long mostBytes = Math.Min(maxDecodedBytes, budget.LeftBytes);
        long decodedBytes = 0;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BufferBytes);
        try
        {
            bool isWhole = coding switch
            {
                ContentCoding.Brotli => CheckBrotli(payload.Span, buffer, mostBytes, budget, ref decodedBytes),
                ContentCoding.Gzip => new GzipMembers(payload, buffer).AreWhole(mostBytes, budget, ref decodedBytes),
                _ => CheckDeflate(payload, buffer, mostBytes, budget, ref decodedBytes),
            };
            if (decodedBytes > mostBytes)
                return mostBytes < maxDecodedBytes
                    ? ProblemCatalog.DecodedBatchTooLarge
                    : ProblemCatalog.DecodedBodyTooLarge(maxDecodedBytes);
            if (isWhole)
                return null;
            budget.Take(DecodeBudget.BytesForAFault);
            return ProblemCatalog.UndecodableBody("It is cut off, damaged, or something follows its end.");
        }
        catch (Exception e) when (e is InvalidDataException or IOException)
        {
            budget.Take(DecodeBudget.BytesForAFault);
            return ProblemCatalog.UndecodableBody(e.Message);
        }
        finally
        {
            budget.Take(decodedBytes);
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static bool CheckBrotli(
        ReadOnlySpan<byte> payload, Span<byte> buffer, long maxBytes, DecodeBudget budget, ref long decodedBytes)
    {
        using var decoder = new BrotliDecoder();
        while (decodedBytes <= maxBytes)
        {
            budget.ThrowIfStopped();
            OperationStatus status = decoder.Decompress(payload, buffer, out int consumed, out int written);
            payload = payload[consumed..];
            decodedBytes += written;
            if (status != OperationStatus.DestinationTooSmall)
                return status == OperationStatus.Done && payload.IsEmpty;
        }
        return false;
    }

    // The decoder stops reading at the end of the compressed stream. So the payload is exactly one stream if the decoder has read its last
    // byte.
    private static bool CheckDeflate(
        ReadOnlyMemory<byte> payload, byte[] buffer, long maxBytes, DecodeBudget budget, ref long decodedBytes)
    {
        if (payload.IsEmpty)
            return false;
        using var source = new MemoryReader(payload) { StopsBeforeLast = true };
        using Stream decoder = PayloadDecoder.Open(source, ContentCoding.Deflate, leaveOpen: true);
        var sum = new Adler32();
        for (int read = 1; read != 0 && decodedBytes <= maxBytes; decodedBytes += read)
        {
            budget.ThrowIfStopped();
            read = decoder.Read(buffer);
            sum.Add(buffer.AsSpan(0, read));
        }
        return source.RestBytes == 0 && sum.IsAtEndOf(payload.Span);
    }

    /// <summary>The checksum at the end of the deflate coding (RFC 1950, 8.2).</summary>
    private struct Adler32()
    {
        private const uint Modulus = 65_521;
        private const int MostBetweenReductions = 5_552;

        private uint _low = 1;
        private uint _high;

        internal void Add(ReadOnlySpan<byte> bytes)
        {
            while (!bytes.IsEmpty)
            {
                ReadOnlySpan<byte> part = bytes[..Math.Min(bytes.Length, MostBetweenReductions)];
                foreach (byte one in part)
                    _high += _low += one;
                _low %= Modulus;
                _high %= Modulus;
                bytes = bytes[part.Length..];
            }
        }

        internal readonly bool IsAtEndOf(ReadOnlySpan<byte> payload) =>
            payload.Length > 4 && BinaryPrimitives.ReadUInt32BigEndian(payload[^4..]) == ((_high << 16) | _low);
    }
}

/// <summary>Decodes content codings.</summary>
internal static class PayloadDecoder
{
    /// <summary>Opens a decoded stream of a payload.</summary>
    /// <param name="stored">The stored payload.</param>
    /// <param name="coding">The coding; for identity the stored stream itself is returned.</param>
    /// <param name="leaveOpen">Whether the stored stream stays open after the decoded one is closed.</param>
    internal static Stream Open(Stream stored, ContentCoding coding, bool leaveOpen = false) => coding switch
    {
        ContentCoding.Gzip => new GZipStream(stored, CompressionMode.Decompress, leaveOpen),
        ContentCoding.Brotli => new BrotliStream(stored, CompressionMode.Decompress, leaveOpen),
        ContentCoding.Deflate => new ZLibStream(stored, CompressionMode.Decompress, leaveOpen),
        _ => stored,
    };
}
