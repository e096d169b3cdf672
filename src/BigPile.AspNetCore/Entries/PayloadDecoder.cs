using System.IO;
using System.IO.Compression;

namespace BigPile.AspNetCore.Entries;

/// <summary>Undoes content codings.</summary>
internal static class PayloadDecoder
{
    /// <summary>A stream of a payload without its coding, which closes the stored one with itself.</summary>
    internal static Stream Open(Stream stored, ContentCoding coding) => coding switch
    {
        ContentCoding.Gzip => new GZipStream(stored, CompressionMode.Decompress),
        ContentCoding.Brotli => new BrotliStream(stored, CompressionMode.Decompress),
        ContentCoding.Deflate => new ZLibStream(stored, CompressionMode.Decompress),
        _ => stored,
    };
}
