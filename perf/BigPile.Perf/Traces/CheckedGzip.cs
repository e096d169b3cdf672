using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Compression;

namespace BigPile.Perf.Traces;

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
