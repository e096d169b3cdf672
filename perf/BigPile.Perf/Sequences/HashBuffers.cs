using System;
using System.Buffers.Binary;

namespace BigPile.Perf.Sequences;

/// <summary>One worker's buffers for keys, values and reads of a hash database.</summary>
/// <remarks>
/// A key is its big-endian number, padded with zeros in front. A value has a word derived from the number at its beginning and its end, so
/// that a value of another record, or a mixture of two, is detected; the bytes between are the same in all.
/// </remarks>
internal sealed class HashBuffers
{
    private const ulong Odd = 0x9E3779B97F4A7C15; // gives each number a different word
    private const byte Between = (byte)'v';

    private readonly PaddedBuffer _key;
    private readonly PaddedBuffer _value;
    private readonly PaddedBuffer _read;
    private readonly int _keyBytes;

    private HashBuffers(PaddedBuffer key, PaddedBuffer value, PaddedBuffer read, int keyBytes)
    {
        _key = key;
        _value = value;
        _read = read;
        _keyBytes = keyBytes;
        _value.Bytes.Fill(Between);
    }

    /// <summary>The buffer for reads.</summary>
    internal Span<byte> Read => _read.Bytes;

    /// <summary>Creates the buffers of each worker.</summary>
    internal static HashBuffers[] Make(SequenceOptions options)
    {
        PaddedBuffer[] keys = PaddedBuffer.Make(options.Threads, Math.Max(options.KeyBytes, sizeof(long)));
        PaddedBuffer[] values = PaddedBuffer.Make(options.Threads, options.ValueBytes);
        PaddedBuffer[] reads = PaddedBuffer.Make(options.Threads, options.ValueBytes);
        var buffers = new HashBuffers[options.Threads];
        for (int i = 0; i < buffers.Length; i++)
            buffers[i] = new HashBuffers(keys[i], values[i], reads[i], options.KeyBytes);
        return buffers;
    }

    /// <summary>The key of a number, until the next call.</summary>
    internal ReadOnlySpan<byte> KeyOf(long number)
    {
        Span<byte> key = _key.Bytes;
        BinaryPrimitives.WriteInt64BigEndian(key[^sizeof(long)..], number);
        return key[^_keyBytes..];
    }

    /// <summary>The value of a number, until the next call.</summary>
    internal ReadOnlySpan<byte> ValueOf(long number)
    {
        Span<byte> value = _value.Bytes;
        ulong word = (ulong)(number + 1) * Odd;
        if (value.Length < sizeof(ulong))
        {
            for (int i = 0; i < value.Length; i++)
                value[i] = (byte)(word >> (56 - 8 * i));
            return value;
        }
        BinaryPrimitives.WriteUInt64LittleEndian(value, word);
        BinaryPrimitives.WriteUInt64LittleEndian(value[^sizeof(ulong)..], word);
        return value;
    }
}
