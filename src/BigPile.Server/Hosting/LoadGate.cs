using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Problems;
using BigPile.AspNetCore.Security;
using Microsoft.AspNetCore.Http;

namespace BigPile.Server.Hosting;

/// <summary>Lets no more requests in at once than the settings say, health checks aside: the others are to try again in a moment.</summary>
/// <remarks>
/// Nothing queues here: what waits costs memory, and its client has often gone when its turn comes. The fast door counts with the same
/// <see cref="RequestLoad"/> and leaves what it must refuse to this.
/// </remarks>
internal sealed class LoadGate(RequestDelegate next, RequestLoad load)
{
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    public Task InvokeAsync(HttpContext context)
    {
        if (context.Request.Path.StartsWithSegments("/health", StringComparison.OrdinalIgnoreCase))
            return next(context);
        return load.TryEnter()
            ? RunAsync(context)
            : RetryLater.AnswerAsync(context, ProblemCatalog.Overloaded with { Limit = load.Limit }, Moment);
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
            load.Leave();
            throw;
        }
        if (!running.IsCompleted)
            return FinishAsync(running);
        load.Leave();
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
            load.Leave();
        }
    }
}
