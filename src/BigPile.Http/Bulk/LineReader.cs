using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;

namespace BigPile.Http.Bulk;

/// <summary>Reads a stream line by line into one buffer that is used again and again.</summary>
/// <remarks>
/// A line ends with LF or CR LF; the last one may end with the stream. A byte order mark at the start is no part of a line.
/// </remarks>
internal sealed class LineReader : IDisposable
{
    private const byte LineFeed = (byte)'\n';
    private const byte CarriageReturn = (byte)'\r';
    private const int InitialBufferBytes = 128 * 1024;

    private readonly Stream _stream;
    private readonly int _maxLineBytes;
    private readonly GrowingMemory _memory = new();
    private int _start;
    private int _searched;
    private int _end;
    private bool _isAtEnd;

    /// <param name="stream">What is read.</param>
    /// <param name="maxLineBytes">The most bytes of a line.</param>
    /// <param name="quota">Where the buffer's bytes are taken from; <see langword="null"/>: they are not counted.</param>
    /// <exception cref="BufferQuotaException">There is no room for a buffer.</exception>
    internal LineReader(Stream stream, int maxLineBytes, BufferQuota? quota = null)
    {
        _stream = stream;
        _maxLineBytes = maxLineBytes;
        _memory.ChargeTo(quota);
        _memory.Grow(InitialBufferBytes, 0);
    }

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
            int length = _memory.Span[_searched.._end].IndexOf(LineFeed);
            if (length >= 0)
                return Take(_searched + length, 1);
            _searched = _end;
            if (_isAtEnd)
                return (_end != _start || IsTooLong) && Take(_end, 0);
            DropTooLong();
            await FillAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Gives the buffer back.</summary>
    public void Dispose() => _memory.Free();

    private bool Take(int end, int terminatorBytes)
    {
        int lineEnd = terminatorBytes != 0 && end > _start && _memory.Span[end - 1] == CarriageReturn ? end - 1 : end;
        IsTooLong |= lineEnd - _start > _maxLineBytes;
        Line = IsTooLong ? default : _memory.Memory[_start..lineEnd];
        LineNumber++;
        if (LineNumber == 1 && Line.Span.StartsWith("\uFEFF"u8))
            Line = Line[3..];
        _start = _searched = end + terminatorBytes;
        return true;
    }

    // What is already too long is forgotten while it is read on to its end. The one byte more may be a CR that does not count.
    private void DropTooLong()
    {
        if (_end - _start <= _maxLineBytes + 1)
            return;
        IsTooLong = true;
        _start = _end;
    }

    private async ValueTask FillAsync(CancellationToken cancellationToken)
    {
        if (_start != 0)
        {
            _memory.Span[_start.._end].CopyTo(_memory.Span);
            _end -= _start;
            _searched -= _start;
            _start = 0;
        }
        if (_end == _memory.LengthBytes)
            _memory.Grow(_end + 1, _end);
        int read = await _stream.ReadAsync(_memory.Memory[_end..], cancellationToken).ConfigureAwait(false);
        _isAtEnd = read == 0;
        _end += read;
    }
}
