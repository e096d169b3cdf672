using System;
using System.IO;
using System.IO.Compression;
using System.Text;

namespace BigPile.Perf.Catalogs;

/// <summary>Reads the lines of a text file, plain or compressed, as its first two bytes say.</summary>
internal sealed class CatalogFile : IDisposable
{
    private const int BufferBytes = 1 << 16;

    private static readonly byte[] GzipMagic = [0x1f, 0x8b];

    private readonly FileStream _file;
    private readonly StreamReader _reader;

    internal CatalogFile(string path)
    {
        _file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, BufferBytes, FileOptions.SequentialScan);
        try
        {
            Stream content = IsGzip(_file) ? new GZipStream(_file, CompressionMode.Decompress) : _file;
            _reader = new StreamReader(content, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, BufferBytes);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>The size of the file on disk in bytes.</summary>
    internal long LengthBytes => _file.Length;

    /// <summary>The bytes of it that were read.</summary>
    internal long DoneBytes => _file.Position;

    /// <summary>The number of the line that was read last, from 1.</summary>
    internal int LineNumber { get; private set; }

    /// <summary>Reads a line; <see langword="null"/> after the last one.</summary>
    /// <exception cref="InvalidDataException">What is compressed is damaged.</exception>
    internal string? ReadLine()
    {
        LineNumber++;
        return _reader.ReadLine();
    }

    public void Dispose() => _reader.Dispose();

    private static bool IsGzip(FileStream file)
    {
        Span<byte> head = stackalloc byte[GzipMagic.Length];
        bool isGzip = file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false) == head.Length && head.SequenceEqual(GzipMagic);
        file.Position = 0;
        return isGzip;
    }
}
