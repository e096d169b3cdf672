using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.AspNetCore.Loading;

/// <summary>Reads a stream line by line into one buffer that is used again and again.</summary>
/// <remarks>A line ends with LF or CR LF; the last one may end with the stream. A byte order mark at the start is no part of a line.</remarks>
internal sealed class LineReader(Stream stream, int maxLineBytes)
{
    private const byte LineFeed = (byte)'\n';
    private const byte CarriageReturn = (byte)'\r';
    private const int InitialBufferBytes = 128 * 1024;

    private byte[] _buffer = new byte[InitialBufferBytes];
    private int _start;
    private int _searched;
    private int _end;
    private bool _isAtEnd;

    /// <summary>The line that was read last, without its end; valid until the next is read. Empty if it is too long.</summary>
    internal ReadOnlyMemory<byte> Line { get; private set; }

    /// <summary>Its number, from 1.</summary>
    internal long LineNumber { get; private set; }

    /// <summary>Whether it has more bytes than a line may have.</summary>
    internal bool IsTooLong { get; private set; }

    /// <summary>Reads the next line.</summary>
    /// <returns><see langword="false"/> at the end of the stream.</returns>
    internal async ValueTask<bool> ReadAsync(CancellationToken cancellationToken)
    {
        IsTooLong = false;
        while (true)
        {
            int length = _buffer.AsSpan(_searched, _end - _searched).IndexOf(LineFeed);
            if (length >= 0)
                return Take(_searched + length, 1);
            _searched = _end;
            if (_isAtEnd)
                return (_end != _start || IsTooLong) && Take(_end, 0);
            DropTooLong();
            await FillAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private bool Take(int end, int terminatorBytes)
    {
        int lineEnd = terminatorBytes != 0 && end > _start && _buffer[end - 1] == CarriageReturn ? end - 1 : end;
        IsTooLong |= lineEnd - _start > maxLineBytes;
        Line = IsTooLong ? default : _buffer.AsMemory(_start, lineEnd - _start);
        LineNumber++;
        if (LineNumber == 1 && Line.Span.StartsWith("\uFEFF"u8))
            Line = Line[3..];
        _start = _searched = end + terminatorBytes;
        return true;
    }

    // What is already too long is forgotten while it is read on to its end. The one byte more may be a CR that does not count.
    private void DropTooLong()
    {
        if (_end - _start <= maxLineBytes + 1)
            return;
        IsTooLong = true;
        _start = _end;
    }

    private async ValueTask FillAsync(CancellationToken cancellationToken)
    {
        if (_start != 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            _end -= _start;
            _searched -= _start;
            _start = 0;
        }
        if (_end == _buffer.Length)
            Array.Resize(ref _buffer, _buffer.Length * 2);
        int read = await stream.ReadAsync(_buffer.AsMemory(_end), cancellationToken).ConfigureAwait(false);
        _isAtEnd = read == 0;
        _end += read;
    }
}
