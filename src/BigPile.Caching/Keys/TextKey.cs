using System;
using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace BigPile.Caching.Keys;

/// <summary>Encodes text keys: as UTF-8, or behind a marker byte as UTF-16 if they have lone surrogates, which UTF-8 would lose.</summary>
internal static class TextKey
{
    // No UTF-8 text has this byte.
    private const byte Utf16Mark = 0xFF;

    internal static ReadOnlySpan<byte> Encode(ReadOnlySpan<char> key, Span<byte> stack)
    {
        OperationStatus status = Utf8.FromUtf16(key, stack, out _, out int lengthBytes, replaceInvalidSequences: false);
        if (status == OperationStatus.Done)
            return stack[..lengthBytes];
        if (status == OperationStatus.InvalidData)
            return EncodeUtf16(key);
        KeyLimits.CheckLength(key.Length);
        var buffer = new byte[key.Length * 3];
        status = Utf8.FromUtf16(key, buffer, out _, out lengthBytes, replaceInvalidSequences: false);
        return status == OperationStatus.Done ? buffer.AsSpan(0, lengthBytes) : EncodeUtf16(key);
    }

    /// <summary>The UTF-8 of a text. Refuses lone surrogates, which UTF-8 would all turn into the same character.</summary>
    /// <exception cref="ArgumentException">The text has a lone surrogate.</exception>
    internal static byte[] Utf8Of(string text, string what)
    {
        var bytes = new byte[Encoding.UTF8.GetMaxByteCount(text.Length)];
        OperationStatus status = Utf8.FromUtf16(text, bytes, out _, out int lengthBytes, replaceInvalidSequences: false);
        return status == OperationStatus.Done ? bytes[..lengthBytes] : throw new ArgumentException(
            $"The {what} has half of a surrogate pair in it (U+D800 to U+DFFF), which is no text: take one without.");
    }

    /// <summary>Throws if bytes are not valid UTF-8.</summary>
    /// <exception cref="ArgumentException">They are not valid UTF-8.</exception>
    internal static void RequireUtf8(ReadOnlySpan<byte> key)
    {
        if (!Utf8.IsValid(key))
            throw new ArgumentException("The key is no valid UTF-8.", nameof(key));
    }

    internal static string Decode(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty || bytes[0] != Utf16Mark)
            return Encoding.UTF8.GetString(bytes);
        var chars = new char[(bytes.Length - 1) / sizeof(char)];
        bytes[1..].CopyTo(MemoryMarshal.AsBytes(chars.AsSpan()));
        return new string(chars);
    }

    private static byte[] EncodeUtf16(ReadOnlySpan<char> key)
    {
        KeyLimits.CheckLength(key.Length);
        var bytes = new byte[1 + key.Length * sizeof(char)];
        bytes[0] = Utf16Mark;
        MemoryMarshal.AsBytes(key).CopyTo(bytes.AsSpan(1));
        return bytes;
    }
}

/// <summary>The limit on the length of keys.</summary>
internal static class KeyLimits
{
    /// <summary>The most bytes that a key may have.</summary>
    internal const int MaxKeyBytes = 4096;

    /// <summary>Throws if a key is too long.</summary>
    /// <exception cref="ArgumentException">The key has more than <see cref="MaxKeyBytes"/>.</exception>
    internal static void CheckLength(int lengthBytes)
    {
        if (lengthBytes > MaxKeyBytes)
            Refuse(lengthBytes);
    }

    private static void Refuse(int lengthBytes) =>
        throw new ArgumentException($"The key has {lengthBytes:N0} bytes; {MaxKeyBytes:N0} are allowed. Use a digest of it.", "key");
}
