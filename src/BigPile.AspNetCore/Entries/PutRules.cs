using BigPile.AspNetCore.Problems;
using Microsoft.AspNetCore.Http;

namespace BigPile.AspNetCore.Entries;

/// <summary>What a PUT must not ask for, because ignoring it would store or change something else than the client meant.</summary>
internal static class PutRules
{
    /// <summary>The first rule that a request breaks, or <see langword="null"/>.</summary>
    internal static Problem? Check(HttpRequest request, long maxBodyBytes)
    {
        if (CheckConditions(request.Headers) is { } conditional)
            return conditional;
        if (request.Headers.ContentRange.Count != 0)
            return ProblemCatalog.PartialBody;
        if (request.Headers.ContentEncoding.Count != 0)
            return ProblemCatalog.EncodedBody;
        if (!MediaTypes.IsValid(ContentTypeOf(request)))
            return ProblemCatalog.InvalidContentType;
        return request.ContentLength > maxBodyBytes ? ProblemCatalog.BodyTooLarge(maxBodyBytes, request.ContentLength) : null;
    }

    /// <summary>Refuses conditions: a client that states one relies on it.</summary>
    internal static Problem? CheckConditions(IHeaderDictionary headers)
    {
        bool isConditional = headers.IfMatch.Count != 0 || headers.IfNoneMatch.Count != 0 || headers.IfUnmodifiedSince.Count != 0;
        return isConditional ? ProblemCatalog.Precondition : null;
    }

    /// <summary>The content type that a request states, or the default.</summary>
    internal static string ContentTypeOf(HttpRequest request) =>
        string.IsNullOrEmpty(request.ContentType) ? MediaTypes.Default : request.ContentType;
}
