using System.IO;
using System.IO.Compression;

namespace BigPile.Http.Protocol;

/// <summary>Undoes content codings.</summary>
internal static class PayloadDecoder
{
    /// <summary>A stream of a payload without its coding.</summary>
    /// <param name="stored">The payload with its coding.</param>
    /// <param name="coding">The coding; where there is none, the stored stream itself comes back.</param>
    /// <param name="leaveOpen">Whether the stored stream stays open when the other one is closed.</param>
    internal static Stream Open(Stream stored, ContentCoding coding, bool leaveOpen = false) => coding switch
    {
        ContentCoding.Gzip => new GZipStream(stored, CompressionMode.Decompress, leaveOpen),
        ContentCoding.Brotli => new BrotliStream(stored, CompressionMode.Decompress, leaveOpen),
        ContentCoding.Deflate => new ZLibStream(stored, CompressionMode.Decompress, leaveOpen),
        _ => stored,
    };
}
