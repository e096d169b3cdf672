using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Server.Hosting;

/// <summary>
/// Ends requests that take too long: cancels their token, and aborts the connection if they do not end within the grace period.
/// </summary>
/// <remarks>
/// Exempt are reads of entries, which complete at once and whose response has a minimum rate, and loads and exports of whole tables, which
/// have minimum rates too. A load also ends when its key is removed.
/// </remarks>
internal sealed class RequestDeadline(RequestDelegate next, LimitSettings limits, TimeProvider time)
{
    public Task InvokeAsync(HttpContext context) => !IsExempt(context) ? RunAsync(context)
        : context.Features.Get<HeldKey>() is { } key ? RunWhileHeldAsync(context, key)
        : next(context);

    private static bool IsExempt(HttpContext context)
    {
        string target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        if (EntryTarget.TryParse(target, out _))
            return HttpMethods.IsGet(context.Request.Method) || HttpMethods.IsHead(context.Request.Method);
        string path = context.Request.Path.Value ?? "";
        return path.EndsWith(":load", StringComparison.OrdinalIgnoreCase) || path.EndsWith(":export", StringComparison.OrdinalIgnoreCase);
    }

    private async Task RunWhileHeldAsync(HttpContext context, HeldKey key)
    {
        using CancellationTokenRegistration end = key.Gone.Register(static state => ((HttpContext)state!).Abort(), context);
        await next(context).ConfigureAwait(false);
    }

    private async Task RunAsync(HttpContext context)
    {
        CancellationToken client = context.RequestAborted;
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(client);
        var deadline = new Deadline(context, stopping);
        ITimer timer = time.CreateTimer(static state => ((Deadline)state!).Strike(), deadline, limits.Request, limits.Grace);
        await using (timer.ConfigureAwait(false))
        {
            context.RequestAborted = stopping.Token;
            try
            {
                await next(context).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (stopping.IsCancellationRequested && !client.IsCancellationRequested)
            {
                context.RequestAborted = client;
                await ProblemResponse.WriteAsync(context, ProblemCatalog.TimedOut).ConfigureAwait(false);
            }
        }
    }

    private sealed class Deadline(HttpContext context, CancellationTokenSource stopping)
    {
        private int _strikes;

        internal void Strike()
        {
            if (Interlocked.Increment(ref _strikes) == 1)
                stopping.Cancel();
            else
                context.Abort();
        }
    }
}
