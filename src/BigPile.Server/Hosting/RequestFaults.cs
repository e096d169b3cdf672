using System;
using System.IO;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Server.Hosting;

/// <summary>
/// Refuses requests with ambiguous framing (RFC 9112, 6.1 and 6.3), where a proxy and Kestrel could see different ends. Reports errors
/// while a body is read as the client's error (4xx), not as a failure of the service.
/// </summary>
internal sealed class RequestFaults(RequestDelegate next)
{
    private const string ServerAssembly = "Microsoft.AspNetCore.Server.Kestrel.Core";

    // Kestrel moves Content-Length here when there is also a Transfer-Encoding.
    private const string OriginalLength = "X-Content-Length";

    public Task InvokeAsync(HttpContext context)
    {
        if (FaultOf(context.Request) is { } fault)
            return RefuseAsync(context, fault);
        Task running = next(context);
        return running.IsCompletedSuccessfully ? running : WatchAsync(running, context);
    }

    private static Problem? FaultOf(HttpRequest request)
    {
        StringValues codings = request.Headers.TransferEncoding;
        if (codings.Count == 0 || !HttpProtocol.IsHttp11(request.Protocol) && !HttpProtocol.IsHttp10(request.Protocol))
            return null;
        if (HttpProtocol.IsHttp10(request.Protocol) || request.Headers.ContainsKey(HeaderNames.ContentLength)
            || request.Headers.ContainsKey(OriginalLength))
            return ProblemCatalog.AmbiguousFraming;
        bool isChunked = codings.Count == 1 && string.Equals(codings[0], "chunked", StringComparison.OrdinalIgnoreCase);
        return isChunked ? null : ProblemCatalog.UnknownTransferCoding;
    }

    private static async Task WatchAsync(Task running, HttpContext context)
    {
        try
        {
            await running.ConfigureAwait(false);
        }
        catch (BadHttpRequestException e)
        {
            await RefuseAsync(context, ProblemCatalog.BadBody with { Status = e.StatusCode, Detail = e.Message }).ConfigureAwait(false);
        }
        catch (IOException e) when (e.Source == ServerAssembly && !IsClientGone(e, context))
        {
            await RefuseAsync(context, ProblemCatalog.BadBody with { Detail = e.Message }).ConfigureAwait(false);
        }
    }

    /// <summary>Whether an exception means that the client disconnected before it had the response.</summary>
    internal static bool IsClientGone(Exception exception, HttpContext context) =>
        exception is ConnectionResetException or ConnectionAbortedException
            or OperationCanceledException { InnerException: ConnectionAbortedException }
        || (exception is OperationCanceledException && context.RequestAborted.IsCancellationRequested);

    // Close: the next request on the connection can't be told from the rest of the body.
    private static Task RefuseAsync(HttpContext context, Problem problem)
    {
        if (!context.Response.HasStarted)
            context.Response.Headers.Connection = "close";
        return ProblemResponse.WriteAsync(context, problem);
    }
}
