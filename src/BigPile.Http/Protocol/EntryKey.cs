using System;
using System.Buffers;
using System.Text.Unicode;

namespace BigPile.Http.Protocol;

/// <summary>The keys of entries that can be served: 1 to 1,024 bytes of UTF-8 that every client can put into a path.</summary>
/// <remarks>
/// A key may hold slashes: <c>a/b</c> and <c>a%2Fb</c> in a path are the same key. Two things have no place in one: NUL, which servers
/// refuse in a path, and a segment <c>.</c> or <c>..</c>, which clients and proxies fold away, so that the key would be reached from one
/// place and not from another.
/// </remarks>
internal static class EntryKey
{
    /// <summary>The most bytes of a key.</summary>
    internal const int MaxBytes = 1024;

    /// <summary>Reads a key from a request's target.</summary>
    /// <param name="raw">The part of the target behind <c>/entries/</c>.</param>
    /// <param name="buffer">Room for <see cref="MaxBytes"/>.</param>
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

    /// <summary>Says whether bytes are a key.</summary>
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

    /// <summary>Says in words what is wrong.</summary>
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
