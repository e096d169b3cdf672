using System;
using System.Globalization;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Refuses a request that the client may retry.</summary>
internal static class RetryLater
{
    /// <summary>Answers with a problem and <c>Retry-After</c>.</summary>
    internal static Task AnswerAsync(HttpContext context, Problem problem, TimeSpan wait)
    {
        long seconds = Math.Max(1, (long)Math.Ceiling(wait.TotalSeconds));
        context.Response.Headers.RetryAfter = seconds.ToString(CultureInfo.InvariantCulture);
        return ProblemResponse.WriteAsync(context, problem with { RetryAfterMs = Math.Max(1, (long)Math.Ceiling(wait.TotalMilliseconds)) });
    }
}
