using System.Diagnostics;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Unicode;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Answers a request with a problem document.</summary>
internal static class ProblemResponse
{
    internal const string ContentType = "application/problem+json";

    /// <summary>The Cache-Control of problems: the next put ends a miss.</summary>
    internal const string CacheControl = "no-store";

    // Keys of any script stay readable; HTML-sensitive characters are still escaped.
    private static readonly ProblemJson Json =
        new(new JsonSerializerOptions(ProblemJson.Default.Options) { Encoder = JavaScriptEncoder.Create(UnicodeRanges.All) });

    /// <summary>
    /// Writes the problem; to HEAD without the body. A response that has started is aborted, so that no client takes it for complete.
    /// </summary>
    internal static Task WriteAsync(HttpContext context, Problem problem)
    {
        HttpResponse response = context.Response;
        if (response.HasStarted)
        {
            context.Abort();
            return Task.CompletedTask;
        }
        if (problem.Status == StatusCodes.Status507InsufficientStorage)
            context.Features.Set(problem); // the request log tells a full pile from a full table
        problem = problem with { TraceId = Activity.Current?.TraceId.ToHexString() ?? context.TraceIdentifier };
        if (problem.RetryAfterMs is { } retryAfterMs)
            response.Headers.RetryAfter = ((retryAfterMs + 999) / 1000).ToString(CultureInfo.InvariantCulture);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(problem, Json.Problem);
        response.StatusCode = problem.Status;
        response.ContentType = ContentType;
        response.Headers.CacheControl = CacheControl;
        response.ContentLength = body.Length;
        return response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted); // the server drops the body for HEAD
    }
}

/// <summary>Writes problem documents.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(Problem))]
internal sealed partial class ProblemJson : JsonSerializerContext;
