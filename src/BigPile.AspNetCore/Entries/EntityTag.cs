using System;
using System.Globalization;
using Microsoft.Extensions.Primitives;

namespace BigPile.AspNetCore.Entries;

/// <summary>Entity tags (RFC 9110, 8.8.3): an entry's version in 16 hexadecimal digits, quoted.</summary>
internal static class EntityTag
{
    private const int DigitCount = 16;

    /// <summary>The strong tag of a version.</summary>
    internal static string Of(ulong version) => string.Create(DigitCount + 2, version, static (characters, version) =>
    {
        characters[0] = '"';
        version.TryFormat(characters[1..], out _, "x16", CultureInfo.InvariantCulture);
        characters[^1] = '"';
    });

    /// <summary>Whether the lines of an <c>If-None-Match</c> header name a tag, compared weakly.</summary>
    /// <returns><see langword="false"/> also for what is no list of tags, which is then as if it were not there.</returns>
    internal static bool IsNamedBy(StringValues lines, string tag)
    {
        bool isNamed = false;
        foreach (string? line in lines)
        {
            if (!TryFind(line, tag, ref isNamed))
                return false;
        }
        return isNamed;
    }

    private static bool TryFind(ReadOnlySpan<char> list, string tag, ref bool isNamed)
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
            if (!TryTakeTag(ref list, out ReadOnlySpan<char> found))
                return false;
            isNamed |= found.SequenceEqual(tag);
        }
    }

    /// <summary>Takes one tag off a list: <c>"opaque"</c> or <c>W/"opaque"</c>, of which only the quoted part counts. It may hold commas.</summary>
    private static bool TryTakeTag(ref ReadOnlySpan<char> list, out ReadOnlySpan<char> tag)
    {
        tag = default;
        if (list.StartsWith("W/", StringComparison.Ordinal))
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
