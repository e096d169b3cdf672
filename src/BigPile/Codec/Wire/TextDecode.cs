using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using BigPile.Memory;

namespace BigPile.Codec;

/// <summary>Reads strings.</summary>
internal static unsafe class TextDecode
{
    private const int OwnWideningMaxBytes = 256;

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* String(byte* p, ref string? place, ReadContext c)
    {
        int code = *p;
        if (code == Code.Nil)
        {
            place = null;
            return p + 1;
        }
        if ((uint)(code - Code.FixString) >= 32 && code != Code.Str8)
            return Long(p, ref place, c);
        nint length = code == Code.Str8 ? p[1] : code & 31;
        p += code == Code.Str8 ? 2 : 1;
        if (c.End - p < length)
            BadData.Truncated();
        place = Short(p, (int)length);
        return p + length;
    }

    // Text that is not ASCII mostly shows it at its first or last byte; then nothing was allocated in vain.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static string Short(byte* p, int lengthBytes)
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
    private static byte* Long(byte* p, ref string? place, ReadContext c)
    {
        if (Code.IsExtension(*p))
            return Utf16(p, ref place, c);
        p = c.StringHeader(p, out int length);
        place = length <= OwnWideningMaxBytes ? Short(p, length) : Transcode(p, length);
        return p + length;
    }

    private static byte* Utf16(byte* p, ref string? place, ReadContext c)
    {
        p = c.ExtensionHeader(p, out sbyte code, out int length);
        if (code != ExtensionCode.Utf16 || length % 2 != 0)
            BadData.Invalid("an extension stands where text was expected");
        place = new string((char*)p, 0, length / 2);
        return p + length;
    }
}
