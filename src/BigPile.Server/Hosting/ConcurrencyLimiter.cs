using System;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Server.Hosting;

/// <summary>
/// Lets no more requests in at once than the settings say, health checks aside, and administration by itself: the others are to try again
/// in a moment.
/// </summary>
/// <remarks>
/// Nothing queues here: what waits costs memory, and its client has often gone when its turn comes. The fast door counts with the same
/// <see cref="RequestLoad"/> and leaves what it must refuse to this.
/// </remarks>
internal sealed class ConcurrencyLimiter(RequestDelegate next, RequestLoad load)
{
    // Who has to stop a flood must get through it.
    private const int AdministrationRequests = 16;

    private static readonly string[] AdministrationPaths = ["/v1/admin", "/v1/operations"];

    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    private readonly RequestLoad _administration = new(AdministrationRequests);

    public Task InvokeAsync(HttpContext context)
    {
        if (context.Request.Path.StartsWithSegments("/health", StringComparison.OrdinalIgnoreCase))
            return next(context);
        RequestLoad requests = IsAdministration(context.Request.Path) ? _administration : load;
        return requests.TryEnter()
            ? RunAsync(context, requests)
            : RetryLater.AnswerAsync(context, ProblemCatalog.Overloaded with { Limit = requests.Limit }, Moment);
    }

    private static bool IsAdministration(PathString path)
    {
        foreach (string start in AdministrationPaths)
        {
            if (path.Value?.StartsWith(start, StringComparison.OrdinalIgnoreCase) == true)
                return true;
        }
        return false;
    }

    private Task RunAsync(HttpContext context, RequestLoad requests)
    {
        Task running;
        try
        {
            running = next(context);
        }
        catch
        {
            requests.Leave();
            throw;
        }
        if (!running.IsCompleted)
            return FinishAsync(running, requests);
        requests.Leave();
        return running;
    }

    private static async Task FinishAsync(Task running, RequestLoad requests)
    {
        try
        {
            await running.ConfigureAwait(false);
        }
        finally
        {
            requests.Leave();
        }
    }
}
