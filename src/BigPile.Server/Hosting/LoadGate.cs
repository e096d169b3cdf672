using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Problems;
using BigPile.AspNetCore.Security;
using Microsoft.AspNetCore.Http;

namespace BigPile.Server.Hosting;

/// <summary>Lets no more requests in at once than the settings say, health checks aside: the others are to try again in a moment.</summary>
/// <remarks>Nothing queues here: what waits costs memory, and its client has often gone when its turn comes.</remarks>
internal sealed class LoadGate(RequestDelegate next, LimitSettings limits)
{
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    private int _running;

    public Task InvokeAsync(HttpContext context)
    {
        if (context.Request.Path.StartsWithSegments("/health", StringComparison.OrdinalIgnoreCase))
            return next(context);
        if (Interlocked.Increment(ref _running) > limits.ConcurrentRequests)
        {
            Interlocked.Decrement(ref _running);
            return RetryLater.AnswerAsync(context, ProblemCatalog.Overloaded with { Limit = limits.ConcurrentRequests }, Moment);
        }
        return RunAsync(context);
    }

    private Task RunAsync(HttpContext context)
    {
        Task running;
        try
        {
            running = next(context);
        }
        catch
        {
            Interlocked.Decrement(ref _running);
            throw;
        }
        if (!running.IsCompleted)
            return FinishAsync(running);
        Interlocked.Decrement(ref _running);
        return running;
    }

    private async Task FinishAsync(Task running)
    {
        try
        {
            await running.ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }
}
