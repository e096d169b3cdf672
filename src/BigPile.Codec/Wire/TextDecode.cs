using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using BigPile.Memory;

namespace BigPile.Codec.Wire;

/// <summary>Reads strings.</summary>
internal static unsafe class TextDecode
{
    private const int OwnWideningMaxBytes = 256;
    private const int ShortMaxBytes = 15;

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    // Most strings are short ASCII: for these only the allocator is called.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* String(byte* p, ref string? target, PayloadReader c)
    {
        nint length = *p++ - Code.FixString;
        if ((nuint)(length - 1) >= ShortMaxBytes)
            return Other(p - 1, ref target, c);
        Debug.Assert(c.IsReadable(p - 1), "What is read between two checks of the position fits into the slack.");
        if (p + length > c.End)
            BadData.Truncated();
        if ((p[0] | p[length - 1]) >= 0x80)
            return NonAscii(p, ref target, (int)length);
        string text = new('\0', (int)length);
        if (!AsciiText.TryWidenShort(p, ref Unsafe.As<char, ushort>(ref Unsafe.AsRef(in text.GetPinnableReference())), length))
            return NonAscii(p, ref target, (int)length);
        target = text;
        return p + length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* NonAscii(byte* p, ref string? target, int lengthBytes)
    {
        target = Transcode(p, lengthBytes);
        return p + lengthBytes;
    }

    // Most text that is not ASCII has a first or last byte of 0x80 or more. Checking these first avoids a wasted allocation.
    private static string Ascii(byte* p, int lengthBytes)
    {
        if (lengthBytes == 0)
            return string.Empty;
        if ((p[0] | p[lengthBytes - 1]) >= 0x80)
            return Transcode(p, lengthBytes);
        string text = new('\0', lengthBytes);
        Span<char> content = MemoryMarshal.CreateSpan(ref Unsafe.AsRef(in text.GetPinnableReference()), lengthBytes);
        return AsciiText.TryWiden(p, content) ? text : Transcode(p, lengthBytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Transcode(byte* p, int lengthBytes)
    {
        try
        {
            return Strict.GetString(p, lengthBytes);
        }
        catch (DecoderFallbackException e)
        {
            throw new PileSerializationException("The payload holds text that is no UTF-8.", e);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Other(byte* p, ref string? target, PayloadReader c)
    {
        if (*p == Code.Nil)
        {
            target = null;
            return p + 1;
        }
        if (Code.IsExtension(*p))
            return Utf16(p, ref target, c);
        p = c.StringHeader(p, out int length);
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        target = length <= OwnWideningMaxBytes ? Ascii(p, length) : Transcode(p, length);
        return p + length;
    }

    private static byte* Utf16(byte* p, ref string? target, PayloadReader c)
    {
        p = c.ExtensionHeader(p, out sbyte code, out int length);
        if (code != ExtensionCode.Utf16 || length % 2 != 0)
            BadData.Invalid("it has another extension where text was expected");
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        target = new string((char*)p, 0, length / 2);
        return p + length;
    }
}
