using System;
using System.Buffers.Binary;
using BigPile.Perf.Sequences;

namespace BigPile.Perf.Messages;

/// <summary>The bytes of a message, which has its number at its start, at its end and in each page.</summary>
/// <remarks>Only some messages are compared completely: comparing takes longer than sending. Thread safety: none.</remarks>
internal sealed class MessageBuffer
{
    internal const int MinBytes = 2 * sizeof(ulong);
    private const int PageBytes = 4096;
    private const int WishBits = 2;
    private const int ComparedEach = 256;
    private const ulong Spread = 0x9E3779B97F4A7C15;

    private readonly byte[] _bytes;
    private readonly byte[] _expected;

    internal MessageBuffer(int lengthBytes)
    {
        _bytes = new BytePattern(lengthBytes).At(0).ToArray();
        _expected = [.. _bytes];
    }

    internal Span<byte> Bytes => _bytes;

    /// <summary>Stamps it with a number.</summary>
    internal void Stamp(long number, MessageWish wish) => Stamp(_bytes, WordOf(number, wish));

    /// <summary>Checks that it is the message of a number.</summary>
    internal MessageWish Check(long number)
    {
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(_bytes);
        var wish = (MessageWish)(word & ((1 << WishBits) - 1));
        ulong last = BinaryPrimitives.ReadUInt64LittleEndian(_bytes.AsSpan(_bytes.Length - sizeof(ulong)));
        bool isWhole = word == WordOf(number, wish) && last == ~word;
        for (int at = PageBytes; at <= _bytes.Length - MinBytes; at += PageBytes)
            isWhole &= BinaryPrimitives.ReadUInt64LittleEndian(_bytes.AsSpan(at)) == StampAt(word, at);
        if (isWhole && number % ComparedEach == 0)
        {
            Stamp(_expected, word);
            isWhole = _expected.AsSpan().SequenceEqual(_bytes);
        }
        return isWhole ? wish : throw new LoadException($"Message {number} came out changed, or another one in its place: {word:X16}.");
    }

    private static void Stamp(byte[] bytes, ulong word)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, word);
        for (int at = PageBytes; at <= bytes.Length - MinBytes; at += PageBytes)
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(at), StampAt(word, at));
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(bytes.Length - sizeof(ulong)), ~word);
    }

    private static ulong WordOf(long number, MessageWish wish) => ((ulong)number << WishBits) | (ulong)wish;

    private static ulong StampAt(ulong word, int at) => word ^ ((ulong)at * Spread);
}

/// <summary>What a receiver is to do with a message beyond checking it.</summary>
internal enum MessageWish
{
    Nothing,
    Reply, // send it back
    End, // end
}
