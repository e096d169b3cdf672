using System;
using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Text as UTF-8, or as UTF-16 where UTF-8 would lose something (lone surrogates).</summary>
internal static class EncodedText
{
    /// <summary>Writes text to an empty buffer.</summary>
    internal static ValueKind Write(string text, PileBuffer target)
    {
        Span<byte> destination = target.GetSpan(Encoding.UTF8.GetByteCount(text));
        if (Utf8.FromUtf16(text, destination, out _, out int lengthBytes, replaceInvalidSequences: false) == OperationStatus.Done)
        {
            target.Advance(lengthBytes);
            return ValueKind.String;
        }
        target.Write(MemoryMarshal.AsBytes(text.AsSpan()));
        return ValueKind.Utf16String;
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    internal static string Read(ReadOnlySpan<byte> source, ValueKind kind) =>
        kind == ValueKind.Utf16String ? new string(MemoryMarshal.Cast<byte, char>(source)) : Encoding.UTF8.GetString(source);
}
