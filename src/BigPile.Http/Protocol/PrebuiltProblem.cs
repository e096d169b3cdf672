using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>A problem document without details of the request, serialized once.</summary>
/// <remarks>A miss is answered with the same bytes by the full stack and by the fast path, without an allocation.</remarks>
internal sealed class PrebuiltProblem(Problem problem)
{
    private static readonly ProblemJson Json =
        new(new JsonSerializerOptions(ProblemJson.Default.Options) { Encoder = JavaScriptEncoder.Create(UnicodeRanges.All) });

    /// <summary>For a read of a missing key.</summary>
    internal static PrebuiltProblem EntryNotFound { get; } = new(ProblemCatalog.EntryNotFound);

    /// <summary>For a read whose maxAge is below the entry's age.</summary>
    internal static PrebuiltProblem EntryStale { get; } = new(ProblemCatalog.EntryStale);

    /// <summary>For a read whose precondition fails.</summary>
    internal static PrebuiltProblem Precondition { get; } = new(ProblemCatalog.Precondition);

    /// <summary>For a read that accepts no available coding.</summary>
    internal static PrebuiltProblem EncodingRefused { get; } = new(ProblemCatalog.EncodingRefused);

    internal int Status => problem.Status;

    internal byte[] Body { get; } = JsonSerializer.SerializeToUtf8Bytes(problem, Json.Problem);

    /// <summary>Answers a request; without the document if the client prefers that.</summary>
    internal Task WriteAsync(HttpContext context)
    {
        HttpResponse response = context.Response;
        response.StatusCode = problem.Status;
        response.Headers.CacheControl = ProblemResponse.CacheControl;
        if (Status == StatusCodes.Status404NotFound && WantsMinimum(context.Request.Headers))
        {
            response.Headers["Preference-Applied"] = "return=minimal";
            response.ContentLength = 0;
            return Task.CompletedTask;
        }
        response.ContentType = ProblemResponse.ContentType;
        response.ContentLength = Body.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask
            : response.Body.WriteAsync(Body, 0, Body.Length);
    }

    // RFC 7240: preferences are a list; unknown ones are ignored.
    private static bool WantsMinimum(IHeaderDictionary headers)
    {
        foreach (string? line in headers["Prefer"])
        {
            foreach (string preference in (line ?? "").Split(',', System.StringSplitOptions.TrimEntries))
            {
                if (preference.Split(';')[0].Trim().Equals("return=minimal", System.StringComparison.OrdinalIgnoreCase))
                    return true;
            }
        }
        return false;
    }
}
