using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Logs requests with their status and time: changes of entries and health checks on the level Debug, reads of entries as set.</summary>
internal sealed class RequestLog(RequestDelegate next, ServerSettings settings, TimeProvider time, ILogger<RequestLog> logger)
{
    public Task InvokeAsync(HttpContext context)
    {
        // As it came over the wire: printable ASCII, so that no key can forge a line of the log.
        string target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        LogLevel level = LevelOf(context.Request.Method, target);
        return level != LogLevel.None && logger.IsEnabled(level) ? LogAsync(context, target, level) : next(context);
    }

    private LogLevel LevelOf(string method, string target)
    {
        if (!EntryTarget.TryParse(target, out _))
            return target.StartsWith("/health/", StringComparison.Ordinal) ? LogLevel.Debug : LogLevel.Information;
        if (method is not ("GET" or "HEAD"))
            return LogLevel.Debug;
        return settings.LogEntryReads ? LogLevel.Information : LogLevel.None;
    }

    private async Task LogAsync(HttpContext context, string target, LogLevel level)
    {
        long started = time.GetTimestamp();
        await next(context).ConfigureAwait(false);
        logger.Log(
            level, "{Method} {Target} answered {Status} in {Milliseconds:F2} ms",
            context.Request.Method, target, context.Response.StatusCode, time.GetElapsedTime(started).TotalMilliseconds);
    }
}
