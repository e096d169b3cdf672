using System;
using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Memory;

namespace BigPile.Codec.Wire;

/// <summary>Writes strings: as UTF-8, or as UTF-16 if they have lone surrogates, which UTF-8 would lose.</summary>
internal static unsafe class TextEncode
{
    private const int OwnNarrowingMaxChars = 255;
    private const int HeaderMaxBytes = 6;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* String(byte* p, string? value, PayloadWriter c)
    {
        if (value is null)
        {
            *p = Code.Nil;
            return p + 1;
        }
        int length = value.Length;
        if (length > OwnNarrowingMaxChars)
            return Utf8Long(p, value, c);
        if (p + 3 * length + HeaderMaxBytes > c.End)
            p = c.Grow(p, 3 * length + HeaderMaxBytes);
        byte* content = length < 32 ? p + 1 : p + 2;
        if (!AsciiText.TryNarrow(value, content))
            return Utf8(p, value, c, 3 * length);
        if (length < 32)
        {
            *p = (byte)(Code.FixString | length);
        }
        else
        {
            p[0] = Code.Str8;
            p[1] = (byte)length;
        }
        return content + length;
    }

    private static byte* Utf8Long(byte* p, string value, PayloadWriter c)
    {
        long mostBytes = Utf8Length.MaxBytesOf(value);
        Debug.Assert(mostBytes >= value.Length, "The limit was computed without an overflow.");
        if (p + mostBytes + HeaderMaxBytes > c.End)
            p = c.Grow(p, mostBytes + HeaderMaxBytes);
        return Utf8(p, value, c, (int)mostBytes);
    }

    // The header's size is guessed from the length in characters. If the bytes need a longer header, the content is copied back by a few.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Utf8(byte* p, string value, PayloadWriter c, int mostBytes)
    {
        Debug.Assert(p + mostBytes + HeaderMaxBytes <= c.End, "The caller has reserved the most that header and text may take.");
        byte* content = p + HeaderBytes(value.Length);
        var destination = new Span<byte>(content, mostBytes);
        if (System.Text.Unicode.Utf8.FromUtf16(
            value, destination, out _, out int lengthBytes, replaceInvalidSequences: false) != OperationStatus.Done)
            return Utf16(p, value, c);
        Debug.Assert(lengthBytes >= value.Length, "A character takes a byte at least, so the content only moves back.");
        if (HeaderBytes(lengthBytes) != HeaderBytes(value.Length))
            destination[..lengthBytes].CopyTo(new Span<byte>(p + HeaderBytes(lengthBytes), lengthBytes));
        byte* end = Encode.StringHeader(p, lengthBytes) + lengthBytes;
        Debug.Assert(end == p + HeaderBytes(lengthBytes) + lengthBytes, "The header is as long as was predicted: the content follows it.");
        return end;
    }

    private static int HeaderBytes(int lengthBytes) => lengthBytes switch
    {
        < 32 => 1,
        <= byte.MaxValue => 2,
        <= ushort.MaxValue => 3,
        _ => 5,
    };

    private static byte* Utf16(byte* p, string value, PayloadWriter c)
    {
        if (c.IsPlain)
            throw new RefusedException(typeof(string), PlainForm.WhyNot("text with lone surrogates"));
        long lengthBytes = 2L * value.Length;
        if (p + lengthBytes + HeaderMaxBytes > c.End)
            p = c.Grow(p, lengthBytes + HeaderMaxBytes);
        p = Encode.ExtensionHeader(p, ExtensionCode.Utf16, (int)lengthBytes);
        value.CopyTo(new Span<char>(p, value.Length));
        return p + lengthBytes;
    }
}
