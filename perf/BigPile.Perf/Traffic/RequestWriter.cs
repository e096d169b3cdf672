using System;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Text;

namespace BigPile.Perf.Traffic;

/// <summary>Puts requests into one buffer, as they go over the wire.</summary>
internal sealed class RequestWriter(int client, TrafficValues values)
{
    internal const string Table = "traffic";

    private const int MaxHeadBytes = 512;
    private const int FrameBytes = 24; // of an item in application/vnd.bigpile.batch

    private byte[] _buffer = new byte[1 << 20];

    internal int Length { get; private set; }

    internal ReadOnlySpan<byte> Written => _buffer.AsSpan(0, Length);

    internal void Clear() => Length = 0;

    internal void Read(ReadOnlySpan<byte> method, int key, ulong tag)
    {
        BeginEntry(method, key, MaxHeadBytes);
        if (tag != 0)
        {
            Add("If-None-Match: \""u8);
            _ = Utf8Formatter.TryFormat(tag, _buffer.AsSpan(Length), out int written, new System.Buffers.StandardFormat('x', 16));
            Length += written;
            Add("\"\r\n"u8);
        }
        Add("\r\n"u8);
    }

    internal void Delete(int key)
    {
        BeginEntry("DELETE"u8, key, MaxHeadBytes);
        Add("\r\n"u8);
    }

    internal void Put(int key, uint sequence, int lifetimeMs)
    {
        int lengthBytes = TrafficValues.LengthOf(client, key, sequence);
        BeginEntry("PUT"u8, key, MaxHeadBytes + lengthBytes);
        if (lifetimeMs != 0)
        {
            Add("BigPile-Ttl: "u8);
            Add(lifetimeMs);
            Add("ms\r\n"u8);
        }
        BeginBody(lengthBytes);
        Length += values.Write(_buffer.AsSpan(Length), client, key, sequence);
    }

    internal void ReadMany(ReadOnlySpan<int> keys)
    {
        int bodyAt = BeginMany("mget"u8, "application/vnd.bigpile.keys"u8, MaxHeadBytes + keys.Length * (TrafficKeys.MaxBytes + 2));
        foreach (int key in keys)
        {
            int lengthBytes = TrafficKeys.Write(_buffer.AsSpan(Length + 2), client, key);
            BinaryPrimitives.WriteUInt16LittleEndian(_buffer.AsSpan(Length), (ushort)lengthBytes);
            Length += 2 + lengthBytes;
        }
        EndMany(bodyAt);
    }

    internal void WriteMany(ReadOnlySpan<int> keys, ReadOnlySpan<uint> sequences)
    {
        int maxBytes = MaxHeadBytes;
        for (int i = 0; i < keys.Length; i++)
            maxBytes += FrameBytes + TrafficKeys.MaxBytes + TrafficValues.LengthOf(client, keys[i], sequences[i]);
        int bodyAt = BeginMany("mset"u8, "application/vnd.bigpile.batch"u8, maxBytes);
        for (int i = 0; i < keys.Length; i++)
        {
            Span<byte> frame = _buffer.AsSpan(Length);
            frame[..FrameBytes].Clear();
            int keyBytes = TrafficKeys.Write(frame[FrameBytes..], client, keys[i]);
            int payloadBytes = values.Write(frame[(FrameBytes + keyBytes)..], client, keys[i], sequences[i]);
            BinaryPrimitives.WriteInt32LittleEndian(frame, payloadBytes);
            BinaryPrimitives.WriteUInt16LittleEndian(frame[4..], (ushort)keyBytes);
            Length += FrameBytes + keyBytes + payloadBytes;
        }
        EndMany(bodyAt);
    }

    private void BeginEntry(ReadOnlySpan<byte> method, int key, int maxBytes)
    {
        Reserve(maxBytes);
        Add(method);
        Add(" /v1/tables/traffic/entries/"u8);
        Length += TrafficKeys.WritePath(_buffer.AsSpan(Length), client, key);
        Add(" HTTP/1.1\r\nHost: localhost\r\n"u8);
    }

    private void BeginBody(int lengthBytes)
    {
        Add("Content-Length: "u8);
        Add(lengthBytes);
        Add("\r\n\r\n"u8);
    }

    // The length is written with leading zeros once it is known.
    private int BeginMany(ReadOnlySpan<byte> action, ReadOnlySpan<byte> contentType, int maxBytes)
    {
        Reserve(maxBytes);
        Add("POST /v1/tables/traffic:"u8);
        Add(action);
        Add(" HTTP/1.1\r\nHost: localhost\r\nAccept: application/vnd.bigpile.batch\r\nContent-Type: "u8);
        Add(contentType);
        Add("\r\nContent-Length: 00000000\r\n\r\n"u8);
        return Length;
    }

    private void EndMany(int bodyAt) =>
        _ = Encoding.ASCII.GetBytes(
            (Length - bodyAt).ToString("d8", System.Globalization.CultureInfo.InvariantCulture), _buffer.AsSpan(bodyAt - 12));

    private void Add(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_buffer.AsSpan(Length));
        Length += text.Length;
    }

    private void Add(int number)
    {
        _ = Utf8Formatter.TryFormat(number, _buffer.AsSpan(Length), out int written);
        Length += written;
    }

    private void Reserve(int bytes)
    {
        if (_buffer.Length - Length < bytes)
            Array.Resize(ref _buffer, Math.Max(_buffer.Length * 2, Length + bytes));
    }
}
