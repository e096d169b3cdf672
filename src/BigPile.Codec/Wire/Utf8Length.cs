using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace BigPile.Codec.Wire;

/// <summary>The length of text as UTF-8.</summary>
internal static class Utf8Length
{
    private const int MaxBytesPerChar = 3;
    private const int CountedFirstMinChars = 64 * 1024;
    private const int CountedAtOnceChars = 1 << 20;

    /// <summary>An upper limit of the bytes. For long text they are counted, a lone surrogate as its replacement character.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long MaxBytesOf(ReadOnlySpan<char> text) =>
        text.Length < CountedFirstMinChars ? text.Length * MaxBytesPerChar : CountOf(text);

    private static long CountOf(ReadOnlySpan<char> text)
    {
        long bytes = 0;
        while (text.Length > CountedAtOnceChars)
        {
            int chars = char.IsHighSurrogate(text[CountedAtOnceChars - 1]) ? CountedAtOnceChars + 1 : CountedAtOnceChars;
            bytes += Encoding.UTF8.GetByteCount(text[..chars]);
            text = text[chars..];
        }
        return bytes + Encoding.UTF8.GetByteCount(text);
    }
}
