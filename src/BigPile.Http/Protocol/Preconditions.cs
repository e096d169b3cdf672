using System;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Protocol;

/// <summary>Evaluates the preconditions of GET and HEAD in the order of RFC 9110, 13.2.2.</summary>
/// <remarks>Invalid dates are ignored. Preconditions apply only if the answer would be 200 without them.</remarks>
internal static class Preconditions
{
    /// <summary>Whether a request has preconditions.</summary>
    internal static bool Has(IHeaderDictionary headers) =>
        headers.IfNoneMatch.Count != 0 || headers.IfModifiedSince.Count != 0 || headers.IfMatch.Count != 0
        || headers.IfUnmodifiedSince.Count != 0;

    /// <summary>The resulting status: 200, 304 or 412.</summary>
    internal static int Check(IHeaderDictionary headers, ReadOnlySpan<char> tag, DateTimeOffset lastModified)
    {
        if (headers.IfMatch is { Count: > 0 } ifMatch)
        {
            if (!EntityTag.IsNamedStronglyBy(ifMatch, tag))
                return StatusCodes.Status412PreconditionFailed;
        }
        else if (TryReadDate(headers.IfUnmodifiedSince, out DateTimeOffset latest) && lastModified > latest)
        {
            return StatusCodes.Status412PreconditionFailed;
        }
        bool isKnown = headers.IfNoneMatch is { Count: > 0 } ifNoneMatch
            ? EntityTag.IsNamedBy(ifNoneMatch, tag)
            : TryReadDate(headers.IfModifiedSince, out DateTimeOffset known) && lastModified <= known;
        return isKnown ? StatusCodes.Status304NotModified : StatusCodes.Status200OK;
    }

    /// <summary>Whether a Range header applies: If-Range, if present, must name the current bytes (RFC 9110, 13.1.5).</summary>
    /// <remarks>
    /// Only a tag can: an entry may be put twice within one second, so no date is a strong validator here (RFC 9110, 8.8.2.2).
    /// </remarks>
    internal static bool AllowRange(IHeaderDictionary headers, ReadOnlySpan<char> tag)
    {
        StringValues ifRange = headers.IfRange;
        if (ifRange.Count == 0)
            return true;
        return ifRange.Count == 1 && ifRange[0] != "*" && EntityTag.IsNamedStronglyBy(ifRange, tag);
    }

    private static bool TryReadDate(StringValues lines, out DateTimeOffset date)
    {
        date = default;
        return lines.Count == 1 && HeaderUtilities.TryParseDate(lines[0], out date);
    }
}
