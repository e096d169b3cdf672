using System.IO;
using System.IO.Compression;

namespace BigPile.Server.Tests.Attacks;

/// <summary>Small bodies that decompress to large ones.</summary>
internal static class Bombs
{
    private const int PlainBytes = 100_000_000;

    internal static byte[] Gzip() => Compress(new byte[PlainBytes]);

    internal static byte[] Brotli()
    {
        using var target = new MemoryStream();
        using (var brotli = new BrotliStream(target, CompressionLevel.Fastest, leaveOpen: true))
            brotli.Write(new byte[PlainBytes]);
        return target.ToArray();
    }

    internal static byte[] Nested() => Compress(Compress(Gzip()));

    private static byte[] Compress(byte[] plain)
    {
        using var target = new MemoryStream();
        using (var gzip = new GZipStream(target, CompressionLevel.Fastest, leaveOpen: true))
            gzip.Write(plain);
        return target.ToArray();
    }
}
