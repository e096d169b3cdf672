using System;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Protocol;

/// <summary>Entity tags (RFC 9110, 8.8.3): an entry's version in 16 hexadecimal digits, quoted.</summary>
/// <remarks>
/// A payload that is stored compressed can also be sent decompressed. Those are other bytes, so they have another tag: the same digits with
/// the suffix <c>-i</c>.
/// </remarks>
internal static class EntityTag
{
    /// <summary>The maximum length of a tag, in characters.</summary>
    internal const int MaxLength = 1 + DigitCount + 2 + 1;

    private const int DigitCount = 16;

    private static ReadOnlySpan<byte> DecodedMark => "-i"u8;

    /// <summary>The strong tag of a version.</summary>
    internal static string Of(ulong version) => Of(version, isDecoded: false);

    /// <summary>The strong tag of a version, or of its decompressed form.</summary>
    internal static string Of(ulong version, bool isDecoded)
    {
        Span<char> tag = stackalloc char[MaxLength];
        return new string(tag[..Format(version, isDecoded, tag)]);
    }

    /// <summary>Writes a tag.</summary>
    /// <returns>Its length.</returns>
    internal static int Format(ulong version, bool isDecoded, Span<byte> destination)
    {
        destination[0] = (byte)'"';
        version.TryFormat(destination[1..], out _, "x16", CultureInfo.InvariantCulture);
        int length = 1 + DigitCount;
        if (isDecoded)
        {
            DecodedMark.CopyTo(destination[length..]);
            length += DecodedMark.Length;
        }
        destination[length] = (byte)'"';
        return length + 1;
    }

    /// <inheritdoc cref="Format(ulong, bool, Span{byte})"/>
    internal static int Format(ulong version, bool isDecoded, Span<char> destination)
    {
        Span<byte> tag = stackalloc byte[MaxLength];
        return Encoding.ASCII.GetChars(tag[..Format(version, isDecoded, tag)], destination);
    }

    /// <summary>Whether the lines of an <c>If-None-Match</c> header name a tag, compared weakly.</summary>
    /// <returns><see langword="false"/> also for an invalid list, which is ignored.</returns>
    internal static bool IsNamedBy(StringValues lines, ReadOnlySpan<char> tag) => IsNamedBy(lines, tag, isStrong: false);

    /// <summary>Whether the lines of an <c>If-Match</c> header name a tag by strong comparison: weak tags never match.</summary>
    internal static bool IsNamedStronglyBy(StringValues lines, ReadOnlySpan<char> tag) => IsNamedBy(lines, tag, isStrong: true);

    /// <summary>Whether one line of an <c>If-None-Match</c> header names a tag, compared weakly.</summary>
    internal static bool IsNamedBy(ReadOnlySpan<char> line, ReadOnlySpan<char> tag)
    {
        bool isNamed = false;
        return TryFind(line, tag, isStrong: false, ref isNamed) && isNamed;
    }

    private static bool IsNamedBy(StringValues lines, ReadOnlySpan<char> tag, bool isStrong)
    {
        bool isNamed = false;
        foreach (string? line in lines)
        {
            if (!TryFind(line, tag, isStrong, ref isNamed))
                return false;
        }
        return isNamed;
    }

    private static bool TryFind(ReadOnlySpan<char> list, ReadOnlySpan<char> tag, bool isStrong, ref bool isNamed)
    {
        list = list.Trim(" \t");
        if (list is "*")
        {
            isNamed = true;
            return true;
        }
        while (true)
        {
            list = list.TrimStart(" \t,");
            if (list.IsEmpty)
                return true;
            if (!TryTakeTag(ref list, out ReadOnlySpan<char> found, out bool isWeak))
                return false;
            isNamed |= !(isStrong && isWeak) && found.SequenceEqual(tag);
        }
    }

    /// <summary>
    /// Takes one tag off a list: <c>"opaque"</c> or <c>W/"opaque"</c>. Only the quoted part is compared; it may contain commas.
    /// </summary>
    private static bool TryTakeTag(ref ReadOnlySpan<char> list, out ReadOnlySpan<char> tag, out bool isWeak)
    {
        tag = default;
        isWeak = list.StartsWith("W/", StringComparison.Ordinal);
        if (isWeak)
            list = list[2..];
        if (!list.StartsWith('"'))
            return false;
        int end = list[1..].IndexOf('"');
        if (end < 0)
            return false;
        tag = list[..(end + 2)];
        list = list[tag.Length..].TrimStart(" \t");
        return list.IsEmpty || list[0] == ',';
    }
}
