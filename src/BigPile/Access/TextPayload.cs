using System;
using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;
using BigPile.Codec.Wire;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Access;

/// <summary>Text as a payload: UTF-8, or UTF-16 where UTF-8 would lose something (lone surrogates).</summary>
internal static unsafe class TextPayload
{
    private const int MaxStringChars = 0x3FFFFFDF; // the runtime's limit; a payload may have slightly more bytes

    /// <summary>Writes text to an empty buffer.</summary>
    /// <returns>The kind of the payload.</returns>
    internal static BlockKind Write(ReadOnlySpan<char> text, PileBuffer buffer)
    {
        long mostBytes = Utf8Length.MaxBytesOf(text);
        if (mostBytes <= PileBuffer.MaxLengthBytes)
        {
            Span<byte> destination = buffer.GetSpan((int)mostBytes);
            if (Utf8.FromUtf16(text, destination, out _, out int lengthBytes, replaceInvalidSequences: false) == OperationStatus.Done)
            {
                buffer.Advance(lengthBytes);
                return BlockKind.String;
            }
        }
        else if (IsWellFormed(text))
        {
            PileBuffer.ThrowTooLong(mostBytes);
        }
        WriteUtf16(text, buffer);
        return BlockKind.Utf16String;
    }

    /// <summary>Reads bytes that may be changing: the text if all are ASCII, otherwise null.</summary>
    internal static string? TryReadAscii(byte* payload, int lengthBytes)
    {
        if (lengthBytes == 0)
            return string.Empty;
        if (lengthBytes > MaxStringChars)
            return null;
        var text = new string('\0', lengthBytes);
        // No other code has the string yet, so it may still be filled.
        Span<char> chars = MemoryMarshal.CreateSpan(ref MemoryMarshal.GetReference(text.AsSpan()), lengthBytes);
        return AsciiText.TryWiden(payload, chars) ? text : null;
    }

    private static void WriteUtf16(ReadOnlySpan<char> text, PileBuffer buffer)
    {
        long lengthBytes = (long)text.Length * sizeof(char);
        if (lengthBytes > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(lengthBytes);
        MemoryMarshal.AsBytes(text).CopyTo(buffer.GetSpan((int)lengthBytes));
        buffer.Advance((int)lengthBytes);
    }

    private static bool IsWellFormed(ReadOnlySpan<char> text)
    {
        while (!text.IsEmpty)
        {
            if (Rune.DecodeFromUtf16(text, out _, out int chars) != OperationStatus.Done)
                return false;
            text = text[chars..];
        }
        return true;
    }

    /// <summary>Reads text from a private copy.</summary>
    internal static string Read(ReadOnlySpan<byte> payload, BlockKind kind) =>
        kind == BlockKind.Utf16String
            ? new string(MemoryMarshal.Cast<byte, char>(payload))
            : Encoding.UTF8.GetString(payload);
}
