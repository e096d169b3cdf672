using System;
using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Entries;

/// <summary>The rules of a put request.</summary>
internal static class PutRules
{
    /// <summary>Parses a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxBodyBytes">The maximum size of a body, in bytes.</param>
    /// <param name="plan">The result.</param>
    /// <returns>The first rule that it breaks, or <see langword="null"/>.</returns>
    internal static Problem? Read(HttpRequest request, TimeProvider time, long maxBodyBytes, out PutPlan plan)
    {
        plan = default;
        if (request.Headers.ContentRange.Count != 0)
            return ProblemCatalog.PartialBody;
        if (!TryReadCoding(request.Headers.ContentEncoding, out ContentCoding coding))
            return ProblemCatalog.UnsupportedCoding;
        string contentType = ContentTypeOf(request);
        if (!MediaTypes.IsValid(contentType))
            return ProblemCatalog.InvalidContentType;
        if (request.ContentLength > maxBodyBytes)
            return ProblemCatalog.BodyTooLarge(maxBodyBytes, request.ContentLength);
        if (LifetimeHeaders.Read(request, time, out EntryOptions? options) is { } problem)
            return problem;
        plan = new PutPlan(contentType, coding, options, WriteCondition.Of(request.Headers));
        return null;
    }

    // HTTP allows several codings on one body; no client uses them.
    private static bool TryReadCoding(StringValues header, out ContentCoding coding)
    {
        coding = ContentCoding.Identity;
        return header.Count == 0 || (header.Count == 1 && ContentCodings.TryFind(header.ToString().AsSpan().Trim(" \t"), out coding));
    }

    /// <summary>The request's content type, or the default.</summary>
    private static string ContentTypeOf(HttpRequest request) =>
        string.IsNullOrEmpty(request.ContentType) ? MediaTypes.Default : request.ContentType;
}
