using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>A problem document that says nothing of the request, so that its bytes are made once.</summary>
/// <remarks>A read is answered with the same bytes whenever it comes, and a miss by both doors without making any.</remarks>
internal sealed class PrebuiltProblem(Problem problem)
{
    private static readonly ProblemJson Json =
        new(new JsonSerializerOptions(ProblemJson.Default.Options) { Encoder = JavaScriptEncoder.Create(UnicodeRanges.All) });

    /// <summary>What a read of a key that is not there gets.</summary>
    internal static PrebuiltProblem EntryNotFound { get; } = new(ProblemCatalog.EntryNotFound);

    /// <summary>What a read gets that does not take so old an entry.</summary>
    internal static PrebuiltProblem EntryStale { get; } = new(ProblemCatalog.EntryStale);

    /// <summary>What a read gets whose condition is not met.</summary>
    internal static PrebuiltProblem Precondition { get; } = new(ProblemCatalog.Precondition);

    /// <summary>What a read gets that takes no coding in which the payload can be had.</summary>
    internal static PrebuiltProblem EncodingRefused { get; } = new(ProblemCatalog.EncodingRefused);

    internal int Status => problem.Status;

    internal byte[] Body { get; } = JsonSerializer.SerializeToUtf8Bytes(problem, Json.Problem);

    /// <summary>Answers a request; without a document when the client prefers that.</summary>
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

    // RFC 7240: preferences are a list, and what is not understood is passed over.
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
