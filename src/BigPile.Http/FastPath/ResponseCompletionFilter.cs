using System;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.FastPath;

/// <summary>Adds a middleware that tells the connection's <see cref="IHandoverFeature"/> when a response is complete.</summary>
/// <remarks>Without it, connections would never return to the fast path; all else would work.</remarks>
internal sealed class ResponseCompletionFilter : IStartupFilter
{
    private static readonly Func<object, Task> Completed = static handover =>
    {
        ((IHandoverFeature)handover).OnResponseCompleted();
        return Task.CompletedTask;
    };

    /// <inheritdoc/>
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(Tell);
        next(app);
    };

    private static RequestDelegate Tell(RequestDelegate next) => context =>
    {
        if (context.Features.Get<IHandoverFeature>() is { } handover)
            context.Response.OnCompleted(Completed, handover);
        return next(context);
    };
}
