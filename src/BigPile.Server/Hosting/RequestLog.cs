using System;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>
/// Counts requests and logs them with status and duration. Levels: Debug for changes of entries and health checks; Information, if switched
/// on and sampled, for reads of entries and batch reads; Warning for server errors and refused keys; Information for the rest. A full pile
/// is no server error: the pile warns, once a minute for all it refuses.
/// </summary>
internal sealed class RequestLog(
    RequestDelegate next, ReadSampler sampler, RequestMeter meter, TimeProvider time, ILogger<RequestLog> logger)
{
    private readonly RefusedLines _refused = new(time);

    public Task InvokeAsync(HttpContext context)
    {
        // The target as it came over the wire.
        string target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        LogLevel level = LevelOf(context.Request.Method, target);
        if (level != LogLevel.None && !logger.IsEnabled(level))
            level = LogLevel.None;
        if (level != LogLevel.None)
            context.Features.Set(new KeyLogFeature());
        long started = level != LogLevel.None || meter.IsTiming ? time.GetTimestamp() : 0;
        Task running = next(context);
        if (!running.IsCompletedSuccessfully)
            return FinishAsync(running, context, target, level, started);
        Record(context, target, level, started, context.Response.StatusCode, isLeft: false);
        return Task.CompletedTask;
    }

    private LogLevel LevelOf(string method, string target)
    {
        if (IsProbe(target))
            return LogLevel.Debug;
        bool isEntry = EntryTarget.TryParse(target, out _);
        if (isEntry ? method is "GET" or "HEAD" : IsAction(target, ":mget"))
            return sampler.Take() ? LogLevel.Information : LogLevel.None;
        return isEntry || IsAction(target, ":mset") || IsAction(target, ":mdelete") ? LogLevel.Debug : LogLevel.Information;
    }

    private static bool IsProbe(string target) =>
        target.StartsWith("/health/", StringComparison.Ordinal) || IsAction(target, "/v1/admin:rotation");

    private static bool IsAction(string target, string action)
    {
        int query = target.IndexOf('?', StringComparison.Ordinal);
        return target.AsSpan(0, query < 0 ? target.Length : query).EndsWith(action, StringComparison.Ordinal);
    }

    private async Task FinishAsync(Task running, HttpContext context, string target, LogLevel level, long started)
    {
        try
        {
            await running.ConfigureAwait(false);
        }
        catch (Exception e) when (RequestFaults.IsClientGone(e, context))
        {
            Record(context, target, level, started, StatusCodes.Status499ClientClosedRequest, isLeft: true);
            return;
        }
        catch
        {
            Record(context, target, level, started, StatusCodes.Status500InternalServerError, isLeft: false);
            throw;
        }
        Record(context, target, level, started, context.Response.StatusCode, isLeft: false);
    }

    private void Record(HttpContext context, string target, LogLevel level, long started, int status, bool isLeft)
    {
        meter.Counts.Add(status);
        TimeSpan elapsed = started == 0 ? TimeSpan.Zero : time.GetElapsedTime(started);
        if (started != 0 && meter.IsTiming)
            meter.RecordDuration(context.Request.Method, status, elapsed.TotalSeconds);
        KeyLogFeature? caller = context.Features.Get<KeyLogFeature>();
        if (caller?.Refusal is { } why)
        {
            RecordRefused(context, target, status, caller.Key, why);
            return;
        }
        if (status >= 500 && !IsProbe(target) && context.Features.Get<Problem>()?.Code != ProblemCatalog.PileFull.Code)
            level = LogLevel.Warning;
        if (level == LogLevel.None)
            return;
        var from = new RequestFrom(context.Connection.RemoteIpAddress, caller?.Key);
        if (isLeft)
            RequestLine.WriteLeft(logger, level, context.Request.Method, target, from, elapsed);
        else
            RequestLine.Write(logger, level, context.Request.Method, target, from, status, elapsed);
    }

    private void RecordRefused(HttpContext context, string target, int status, string? key, string why)
    {
        // an unverified key must not use up the log lines of its owner
        string? proved = status == StatusCodes.Status401Unauthorized ? null : key;
        meter.CountRefusal(proved, status);
        if (_refused.Take(proved, out long unlogged))
        {
            RequestLine.WriteRefused(
                logger, context.Request.Method, target, new RequestFrom(context.Connection.RemoteIpAddress, key), status, why, unlogged);
        }
    }
}
