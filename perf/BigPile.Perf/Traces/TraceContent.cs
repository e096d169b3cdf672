using System;
using System.Buffers.Binary;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.IO.Compression;

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

    internal Stream Stream { get; } // what is read

    /// <summary>The size of the file on disk in bytes.</summary>
    internal long LengthBytes => _file.Length;

    /// <summary>The bytes of it that were read; 0 while an external tool decompresses them.</summary>
    internal long DoneBytes => _file.Position;

    /// <summary>Reads the first bytes of a file.</summary>
    internal static byte[] ReadHead(string path)
    {
        using var content = new TraceContent(path);
        var head = new byte[HeadBytes];
        return head[..content.Stream.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)];
    }

    /// <summary>At the end: checks the exit code of the tool, if there was one.</summary>
    internal void Finish() => _tool?.Finish();

    public void Dispose()
    {
        Stream.Dispose();
        _tool?.Dispose();
        _file.Dispose();
    }
}

/// <summary>An external tool that decompresses a file that .NET can't.</summary>
internal sealed class UnpackingTool : IDisposable
{
    private readonly string _name;
    private readonly Process _process;

    /// <summary>Starts it.</summary>
    internal UnpackingTool(string name, string path)
    {
        _name = name;
        var start = new ProcessStartInfo(name, ["--decompress", "--stdout", "--quiet", "--", path])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            _process = Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            throw new LoadException(
                $"'{path}' is compressed by {name}, which .NET cannot read, and there is no {name} here. Install it, or unpack the file.",
                e);
        }
    }

    /// <summary>What the file unpacks to.</summary>
    internal Stream Output => _process.StandardOutput.BaseStream;

    /// <summary>At the end: checks the exit code of the tool.</summary>
    internal void Finish()
    {
        string complaint = _process.StandardError.ReadToEnd().Trim();
        _process.WaitForExit();
        if (_process.ExitCode != 0)
            throw new InvalidDataException(complaint.Length == 0 ? $"{_name} ended with exit code {_process.ExitCode}." : complaint);
    }

    // If reading stops in the middle, the tool loses its reader.
    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}

/// <summary>Decompresses a gzip file and detects truncation, which .NET takes for the end.</summary>
internal sealed class CheckedGzip(FileStream file) : Stream
{
    private const int SizeBytes = sizeof(uint);

    private readonly GZipStream _content = new(file, CompressionMode.Decompress);
    private long _readBytes;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => _readBytes;
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        int read = _content.Read(buffer);
        _readBytes += read;
        if (read == 0 && buffer.Length != 0)
            CheckEnd();
        return read;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Flush()
    {
        // Nothing is written.
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _content.Dispose();
        base.Dispose(disposing);
    }

    // The last bytes hold the size of the last member. In a truncated file they are arbitrary, and so nearly always larger than what came.
    private void CheckEnd()
    {
        Span<byte> end = stackalloc byte[SizeBytes];
        file.Position = Math.Max(0, file.Length - SizeBytes);
        bool isWhole = file.ReadAtLeast(end, SizeBytes, throwOnEndOfStream: false) == SizeBytes
            && BinaryPrimitives.ReadUInt32LittleEndian(end) <= _readBytes;
        if (!isWhole)
            throw new InvalidDataException("The compressed content ends before its end.");
    }
}
