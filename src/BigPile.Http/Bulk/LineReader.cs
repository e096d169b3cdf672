using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;

namespace BigPile.Http.Bulk;

/// <summary>Reads a stream line by line into one reused buffer.</summary>
/// <remarks>A line ends with LF or CR LF; the last one may end with the stream. A leading byte order mark is skipped.</remarks>
internal sealed class LineReader : IDisposable
{
    private const byte LineFeed = (byte)'\n';
    private const byte CarriageReturn = (byte)'\r';
    private const int InitialBufferBytes = 128 * 1024;

    private readonly Stream _stream;
    private readonly int _maxLineBytes;
    private readonly GrowingMemory _memory = new();
    /// <summary>Where the current line begins in the memory.</summary>
    private int _start;
    /// <summary>Up to where the memory has been searched for a line feed.</summary>
    private int _searched;
    /// <summary>Where the bytes in the memory end.</summary>
    private int _end;
    private bool _isAtEnd;

    /// <param name="stream">The stream.</param>
    /// <param name="maxLineBytes">The maximum length of a line, in bytes.</param>
    /// <param name="quota">The quota to charge; <see langword="null"/>: the buffer is not counted.</param>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
    internal LineReader(Stream stream, int maxLineBytes, BufferQuota? quota = null)
    {
        _stream = stream;
        _maxLineBytes = maxLineBytes;
        _memory.ChargeTo(quota);
        _memory.Grow(InitialBufferBytes, 0);
    }

    /// <summary>The current line, without its line break; valid until the next read; empty if it is too long.</summary>
    internal ReadOnlyMemory<byte> Line { get; private set; }

    /// <summary>The number of the current line, from 1.</summary>
    internal long LineNumber { get; private set; }

    /// <summary>Whether the current line exceeds the maximum.</summary>
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

    /// <summary>Returns the buffer.</summary>
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

    // The bytes of a line that is already too long are dropped while it is read to its end. The one extra byte allowed may be a CR of the
    // line break.
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
