using System.IO;
using System.IO.Compression;

namespace BigPile.Http.Protocol;

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
