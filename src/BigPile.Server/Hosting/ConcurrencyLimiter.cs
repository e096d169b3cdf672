using System;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Server.Hosting;

/// <summary>
/// Limits concurrent requests to the configured number; further ones get 503 with a retry time. Health checks are exempt, and
/// administration has its own limit.
/// </summary>
/// <remarks>
/// There is no queue: waiting requests cost memory, and their clients have often gone before their turn. The fast path counts with the same
/// <see cref="RequestLoad"/> and leaves requests above the limit to this middleware.
/// </remarks>
internal sealed class ConcurrencyLimiter(RequestDelegate next, RequestLoad load)
{
    // An administrator must get through a flood in order to stop it.
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
