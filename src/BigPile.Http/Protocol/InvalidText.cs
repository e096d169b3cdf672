using System;
using System.Text;
using System.Text.Unicode;

namespace BigPile.Http.Protocol;

/// <summary>What is asked of every text that comes from a client, and how one that may be none is given back.</summary>
internal static class InvalidText
{
    /// <summary>What is said of one that is no text.</summary>
    internal const string Reason = "a text in it is no valid text: it has half a surrogate pair, or is not UTF-8";

    private const int MaxEchoBytes = EntryKey.MaxBytes;

    /// <summary>Whether bytes are text.</summary>
    internal static bool IsValid(ReadOnlySpan<byte> text) => Utf8.IsValid(text);

    /// <summary>Whether bytes can be given back to a client as they came.</summary>
    internal static bool CanEcho(ReadOnlySpan<byte> text) => text.Length <= MaxEchoBytes && IsValid(text);

    /// <summary>Bytes as a text that can be given back: cut off if they are long, and with U+FFFD for what is none.</summary>
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
