using System;
using System.Buffers;
using System.Text.Unicode;

namespace BigPile.Http.Protocol;

/// <summary>The keys of entries that can be served: 1 to 1,024 bytes of UTF-8 that every client can put into a path.</summary>
/// <remarks>
/// A key may contain slashes: <c>a/b</c> and <c>a%2Fb</c> are the same key. It may not contain NUL, which servers refuse in a path, nor a
/// segment <c>.</c> or <c>..</c>: clients and proxies remove dot segments, so some could not reach the key.
/// </remarks>
internal static class EntryKey
{
    /// <summary>The maximum length of a key, in bytes.</summary>
    internal const int MaxBytes = 1024;

    /// <summary>Decodes a key from a request target.</summary>
    /// <param name="raw">The target after <c>/entries/</c>.</param>
    /// <param name="buffer">A buffer of <see cref="MaxBytes"/> bytes.</param>
    /// <param name="key">The key.</param>
    internal static KeyError Decode(ReadOnlySpan<char> raw, Span<byte> buffer, out ReadOnlySpan<byte> key)
    {
        OperationStatus status = PercentCoding.Decode(raw, buffer[..MaxBytes], out int lengthBytes);
        key = buffer[..lengthBytes];
        return status switch
        {
            OperationStatus.DestinationTooSmall => KeyError.TooLong,
            OperationStatus.InvalidData => KeyError.InvalidEscape,
            _ => Check(key),
        };
    }

    internal static KeyError Check(ReadOnlySpan<byte> key)
    {
        if (key.IsEmpty)
            return KeyError.Empty;
        if (key.Length > MaxBytes)
            return KeyError.TooLong;
        if (!Utf8.IsValid(key))
            return KeyError.InvalidUtf8;
        if (key.Contains((byte)0))
            return KeyError.HasNul;
        return HasDotSegment(key) ? KeyError.HasDotSegment : KeyError.None;
    }

    internal static string Describe(KeyError error) => error switch
    {
        KeyError.Empty => "The key is empty.",
        KeyError.TooLong => $"The key has more than {MaxBytes:N0} bytes in UTF-8.",
        KeyError.InvalidEscape => "The key has a '%' that is not followed by two hexadecimal digits, or a character that must be escaped.",
        KeyError.InvalidUtf8 => "The key is not valid UTF-8.",
        KeyError.HasNul => "The key has a NUL character, which can't be part of a path.",
        KeyError.HasDotSegment => "The key has a segment '.' or '..', which clients and proxies remove from paths.",
        _ => "The key is good.",
    };

    private static bool HasDotSegment(ReadOnlySpan<byte> key)
    {
        if (!key.Contains((byte)'.'))
            return false;
        foreach (Range segment in key.Split((byte)'/'))
        {
            if (key[segment].SequenceEqual("."u8) || key[segment].SequenceEqual(".."u8))
                return true;
        }
        return false;
    }
}

/// <summary>Why bytes are not a valid key.</summary>
internal enum KeyError
{
    None,
    Empty,
    TooLong,
    InvalidEscape,
    InvalidUtf8,
    HasNul,
    HasDotSegment,
}
