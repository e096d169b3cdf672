using System;
using System.Text;
using System.Text.Unicode;

namespace BigPile.Http.Protocol;

/// <summary>Validates text from clients, and makes invalid text safe to echo.</summary>
internal static class ClientText
{
    /// <summary>The message for invalid text.</summary>
    internal const string Reason = "a text in it is no valid text: it has half a surrogate pair, or is not UTF-8";

    private const int MaxEchoBytes = EntryKey.MaxBytes;

    internal static bool IsValid(ReadOnlySpan<byte> text) => Utf8.IsValid(text);

    internal static bool CanEcho(ReadOnlySpan<byte> text) => text.Length <= MaxEchoBytes && IsValid(text);

    /// <summary>Text that can be echoed: truncated if long, with U+FFFD for invalid bytes.</summary>
    internal static string Echo(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length <= MaxEchoBytes)
            return Encoding.UTF8.GetString(bytes);
        int cut = MaxEchoBytes;
        while (cut > 0 && (bytes[cut] & 0xC0) == 0x80) // not inside a character
            cut--;
        return Encoding.UTF8.GetString(bytes[..cut]) + "…";
    }
}
