using System;
using System.IO;

namespace BigPile.Perf.Traces;

/// <summary>The decompressed bytes of a trace's file; its first bytes tell the compression.</summary>
internal sealed class TraceContent : IDisposable
{
    private const int BufferBytes = 1 << 16;
    private const int HeadBytes = 4096;

    private static readonly byte[] GzipMagic = [0x1f, 0x8b];
    private static readonly byte[] XzMagic = [0xfd, (byte)'7', (byte)'z', (byte)'X', (byte)'Z', 0];
    private static readonly byte[] ZstdMagic = [0x28, 0xb5, 0x2f, 0xfd];

    private readonly FileStream _file;
    private readonly UnpackingTool? _tool;

    /// <summary>Opens a file.</summary>
    /// <exception cref="LoadException">It needs a tool that is not there.</exception>
    internal TraceContent(string path)
    {
        _file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, BufferBytes, FileOptions.SequentialScan);
        try
        {
            Span<byte> magic = stackalloc byte[XzMagic.Length];
            magic = magic[.._file.ReadAtLeast(magic, magic.Length, throwOnEndOfStream: false)];
            _file.Position = 0;
            if (magic.StartsWith(XzMagic))
                _tool = new UnpackingTool("xz", path);
            else if (magic.StartsWith(ZstdMagic))
                _tool = new UnpackingTool("zstd", path);
            Stream = _tool?.Output ?? (magic.StartsWith(GzipMagic) ? new CheckedGzip(_file) : _file);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>What is read.</summary>
    internal Stream Stream { get; }

    /// <summary>The size of the file on disk in bytes.</summary>
    internal long LengthBytes => _file.Length;

    /// <summary>The bytes of it that were read; 0 while an external tool decompresses them.</summary>
    internal long DoneBytes => _file.Position;

    /// <summary>Reads the first bytes of a file.</summary>
    /// <exception cref="InvalidDataException">What is compressed is damaged.</exception>
    /// <exception cref="LoadException">It needs a tool that is not there.</exception>
    internal static byte[] ReadHead(string path)
    {
        using var content = new TraceContent(path);
        var head = new byte[HeadBytes];
        return head[..content.Stream.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)];
    }

    /// <summary>At the end: checks the exit code of the tool, if there was one.</summary>
    /// <exception cref="InvalidDataException">What is compressed is damaged.</exception>
    internal void Finish() => _tool?.Finish();

    public void Dispose()
    {
        Stream.Dispose();
        _tool?.Dispose();
        _file.Dispose();
    }
}
