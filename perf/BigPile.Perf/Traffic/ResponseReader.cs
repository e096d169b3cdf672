using System;
using System.Buffers.Text;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace BigPile.Perf.Traffic;

/// <summary>One connection: sends bytes, and reads answers of HTTP/1.1 whose length is stated.</summary>
internal sealed class ResponseReader : IDisposable
{
    private const int TimeoutMs = 120_000;

    private readonly Socket _socket;
    private byte[] _buffer = new byte[1 << 20];
    private int _start;
    private int _end;

    internal ResponseReader(EndPoint server)
    {
        _socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = TimeoutMs,
            SendTimeout = TimeoutMs,
        };
        try
        {
            _socket.Connect(server);
        }
        catch (SocketException e)
        {
            _socket.Dispose();
            throw new ConnectionLostException($"The server at {server} does not take connections.", e);
        }
    }

    /// <summary>The answer's status.</summary>
    internal int Status { get; private set; }

    /// <summary>Its entity tag as a number; 0 when there is none.</summary>
    internal ulong Tag { get; private set; }

    /// <summary>What it states as its length.</summary>
    internal int LengthBytes { get; private set; }

    /// <summary>Whether it says when the entry expires.</summary>
    internal bool StatesLifetime { get; private set; }

    /// <summary>Its body, until the next call.</summary>
    internal ReadOnlySpan<byte> Body => _buffer.AsSpan(_start - _bodyBytes, _bodyBytes);

    private int _bodyBytes;

    internal void Send(ReadOnlySpan<byte> requests)
    {
        try
        {
            while (!requests.IsEmpty)
                requests = requests[_socket.Send(requests)..];
        }
        catch (SocketException e)
        {
            throw new ConnectionLostException("The server did not take a request.", e);
        }
    }

    /// <summary>Reads the next answer.</summary>
    internal void Read(bool hasBody)
    {
        int headBytes = ReadHead();
        ParseHead(_buffer.AsSpan(_start, headBytes));
        _bodyBytes = hasBody && Status is not (204 or 304) ? LengthBytes : 0;
        while (_end - _start < headBytes + _bodyBytes)
            Fill(headBytes + _bodyBytes);
        _start += headBytes + _bodyBytes;
    }

    public void Dispose() => _socket.Dispose();

    private int ReadHead()
    {
        int searched = 0;
        while (true)
        {
            int at = _buffer.AsSpan(_start + searched, _end - _start - searched).IndexOf("\r\n\r\n"u8);
            if (at >= 0)
                return searched + at + 4;
            searched = Math.Max(0, _end - _start - 3);
            Fill(searched + 4096);
        }
    }

    private void Fill(int wantedBytes)
    {
        if (_buffer.Length - _start < wantedBytes)
        {
            byte[] target = wantedBytes > _buffer.Length ? new byte[wantedBytes * 2] : _buffer;
            _buffer.AsSpan(_start, _end - _start).CopyTo(target);
            _buffer = target;
            _end -= _start;
            _start = 0;
        }
        int read;
        try
        {
            read = _socket.Receive(_buffer.AsSpan(_end));
        }
        catch (SocketException e)
        {
            throw new ConnectionLostException("The server did not answer.", e);
        }
        if (read == 0)
            throw new ConnectionLostException("The server closed the connection before it answered.");
        _end += read;
    }

    private void ParseHead(ReadOnlySpan<byte> head)
    {
        Tag = 0;
        LengthBytes = -1;
        StatesLifetime = false;
        if (!head.StartsWith("HTTP/1.1 "u8) || !Utf8Parser.TryParse(head[9..], out int status, out int digits) || digits != 3)
            throw new InvalidDataException($"This is no status line: {Encoding.Latin1.GetString(head[..Math.Min(80, head.Length)])}");
        Status = status;
        for (int line = head.IndexOf("\r\n"u8) + 2; line < head.Length - 2;)
        {
            int length = head[line..].IndexOf("\r\n"u8);
            ParseLine(head.Slice(line, length));
            line += length + 2;
        }
        if (LengthBytes < 0)
            LengthBytes = status is 204 or 304
                ? 0
                : throw new InvalidDataException($"An answer with status {status} does not state its length.");
    }

    private void ParseLine(ReadOnlySpan<byte> line)
    {
        if (TryValue(line, "Content-Length:"u8, out ReadOnlySpan<byte> length))
        {
            if (!Utf8Parser.TryParse(length, out int bytes, out int used) || used != length.Length)
                throw new InvalidDataException("An answer's Content-Length is no number.");
            LengthBytes = bytes;
        }
        else if (TryValue(line, "ETag:"u8, out ReadOnlySpan<byte> tag))
        {
            if (tag.Length != 18 || !Utf8Parser.TryParse(tag[1..17], out ulong number, out int used, 'x') || used != 16)
                throw new InvalidDataException($"An answer's ETag is '{Encoding.Latin1.GetString(tag)}', which is not 16 digits.");
            Tag = number;
        }
        else if (TryValue(line, "BigPile-Ttl:"u8, out _))
        {
            StatesLifetime = true;
        }
    }

    private static bool TryValue(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        bool isIt = line.Length > name.Length && Ascii.EqualsIgnoreCase(line[..name.Length], name);
        value = isIt ? line[name.Length..].Trim(" \t"u8) : default;
        return isIt;
    }
}

/// <summary>The server closed the connection, or is gone.</summary>
internal sealed class ConnectionLostException(string message, Exception? innerException = null) : Exception(message, innerException);
