using System;
using System.Globalization;

namespace BigPile.Http.Protocol;

/// <summary>The single byte range of a request (RFC 9110, 14.1.2).</summary>
/// <param name="Offset">The first byte.</param>
/// <param name="LengthBytes">Its length; at least 1.</param>
internal readonly record struct ByteRange(int Offset, int LengthBytes)
{
    private const string Unit = "bytes=";

    /// <summary>Parses a <c>Range</c> header.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="totalBytes">The length of the payload, in bytes.</param>
    /// <param name="range">The range, clamped to the payload.</param>
    /// <returns><see cref="RangeKind.Whole"/> also for several ranges and for an invalid header, which are ignored.</returns>
    internal static RangeKind Read(ReadOnlySpan<char> header, int totalBytes, out ByteRange range)
    {
        range = default;
        if (!header.StartsWith(Unit, StringComparison.OrdinalIgnoreCase))
            return RangeKind.Whole;
        ReadOnlySpan<char> spec = header[Unit.Length..].Trim(" \t");
        int hyphen = spec.IndexOf('-');
        if (hyphen < 0 || !TryReadNumber(spec[..hyphen], out long? first) || !TryReadNumber(spec[(hyphen + 1)..], out long? last))
            return RangeKind.Whole;
        if (first is not { } from)
            return last is { } suffixBytes ? Suffix(suffixBytes, totalBytes, out range) : RangeKind.Whole;
        if (last < from)
            return RangeKind.Whole;
        if (from >= totalBytes)
            return RangeKind.Unsatisfiable;
        long end = Math.Min(last ?? long.MaxValue, totalBytes - 1);
        range = new ByteRange((int)from, (int)(end - from + 1));
        return RangeKind.Part;
    }

    /// <summary>The value of the <c>Content-Range</c> header.</summary>
    internal string Describe(int totalBytes) =>
        string.Create(CultureInfo.InvariantCulture, $"bytes {Offset}-{Offset + LengthBytes - 1}/{totalBytes}");

    private static RangeKind Suffix(long suffixBytes, int totalBytes, out ByteRange range)
    {
        int lengthBytes = (int)Math.Min(suffixBytes, totalBytes);
        range = new ByteRange(totalBytes - lengthBytes, lengthBytes);
        return lengthBytes == 0 ? RangeKind.Unsatisfiable : RangeKind.Part;
    }

    private static bool TryReadNumber(ReadOnlySpan<char> text, out long? number)
    {
        number = null;
        text = text.Trim(" \t");
        if (text.IsEmpty)
            return true;
        if (text.ContainsAnyExceptInRange('0', '9'))
            return false;
        // A number that overflows 64 bits is beyond every payload.
        number = long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value : long.MaxValue;
        return true;
    }
}

/// <summary>The outcome of a Range header.</summary>
internal enum RangeKind
{
    Whole,
    Part,
    Unsatisfiable,
}
