using System;
using System.Globalization;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Protocol;

/// <summary>The precondition of a change (RFC 9110, 13.1): If-Match, If-None-Match, If-Unmodified-Since.</summary>
/// <remarks>
/// A tag is an entry's version, so a condition becomes a compare-and-set of the table. A tag with the suffix <c>-i</c> names the
/// decompressed payload of the same version.
/// </remarks>
internal readonly struct WriteCondition
{
    private const int DigitCount = 16;

    private readonly StringValues _ifMatch;
    private readonly StringValues _ifNoneMatch;
    private readonly DateTimeOffset? _ifUnmodifiedSince;
    private readonly bool _mustBeMissing;

    private WriteCondition(StringValues ifMatch, StringValues ifNoneMatch, DateTimeOffset? ifUnmodifiedSince, bool mustBeMissing)
    {
        _ifMatch = ifMatch;
        _ifNoneMatch = ifNoneMatch;
        _ifUnmodifiedSince = ifUnmodifiedSince;
        _mustBeMissing = mustBeMissing;
    }

    /// <summary>Whether there is no condition.</summary>
    internal bool IsNone => _ifMatch.Count == 0 && _ifNoneMatch.Count == 0 && _ifUnmodifiedSince == null && !_mustBeMissing;

    /// <summary>Whether the entry must exist.</summary>
    internal bool NeedsEntry => _ifMatch.Count != 0 || _ifUnmodifiedSince != null;

    /// <summary>This condition, and there must be no entry.</summary>
    internal WriteCondition AndMissing() => new(_ifMatch, _ifNoneMatch, _ifUnmodifiedSince, mustBeMissing: true);

    /// <summary>
    /// Parses the condition of a request. An invalid list of tags is a condition that no entry meets; an invalid date is ignored (RFC 9110,
    /// 13.1.4).
    /// </summary>
    internal static WriteCondition Of(IHeaderDictionary headers)
    {
        DateTimeOffset? since = null;
        if (headers.IfMatch.Count == 0 && HeaderUtilities.TryParseDate(headers.IfUnmodifiedSince.ToString(), out DateTimeOffset date))
            since = date;
        return new WriteCondition(headers.IfMatch, headers.IfNoneMatch, since, mustBeMissing: false);
    }

    /// <summary>Whether the condition is met if there is no entry.</summary>
    internal bool AllowsMissing => !NeedsEntry;

    /// <summary>Whether an entry meets the condition.</summary>
    internal bool Allows(in EntryInfo info)
    {
        if (_mustBeMissing)
            return false;
        if (_ifMatch.Count != 0 && !Names(_ifMatch, info.Version, isStrong: true))
            return false;
        if (_ifNoneMatch.Count != 0 && Names(_ifNoneMatch, info.Version, isStrong: false))
            return false;
        // The header has whole seconds: an entry of the same second counts as unmodified.
        return _ifUnmodifiedSince is not { } since || info.PutAt.ToUnixTimeSeconds() <= since.ToUnixTimeSeconds();
    }

    // An invalid If-None-Match must not let a change through: the client relies on a condition.
    private static bool Names(StringValues lines, ulong version, bool isStrong)
    {
        foreach (string? line in lines)
        {
            bool? isNamed = FindIn(line, version, isStrong);
            if (isNamed == null)
                return !isStrong;
            if (isNamed.Value)
                return true;
        }
        return false;
    }

    /// <returns><see langword="null"/> if the list is invalid.</returns>
    private static bool? FindIn(ReadOnlySpan<char> list, ulong version, bool isStrong)
    {
        list = list.Trim(" \t");
        if (list is "*")
            return true;
        bool isNamed = false;
        while (true)
        {
            list = list.TrimStart(" \t,");
            if (list.IsEmpty)
                return isNamed;
            bool isWeak = list.StartsWith("W/", StringComparison.Ordinal);
            if (isWeak)
                list = list[2..];
            int end = list.StartsWith('"') ? list[1..].IndexOf('"') : -1;
            if (end < 0)
                return null;
            isNamed |= !(isWeak && isStrong) && IsVersion(list[1..(end + 1)], version);
            list = list[(end + 2)..].TrimStart(" \t");
            if (!list.IsEmpty && list[0] != ',')
                return null;
        }
    }

    private static bool IsVersion(ReadOnlySpan<char> opaque, ulong version)
    {
        if (opaque.EndsWith("-i", StringComparison.Ordinal))
            opaque = opaque[..^2];
        return opaque.Length == DigitCount
            && ulong.TryParse(opaque, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong named)
            && named == version;
    }
}
