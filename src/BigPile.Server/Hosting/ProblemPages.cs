using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Server.Hosting;

/// <summary>Adds a problem document to routing's 404 and 405 responses, which have no body.</summary>
internal sealed class ProblemPages(RequestDelegate next)
{
    public async Task InvokeAsync(HttpContext context)
    {
        await next(context).ConfigureAwait(false);
        HttpResponse response = context.Response;
        if (response.HasStarted || response.ContentType != null)
            return;
        if (response.StatusCode == StatusCodes.Status404NotFound)
            await ProblemResponse.WriteAsync(context, ProblemCatalog.RouteNotFound).ConfigureAwait(false);
        else if (response.StatusCode == StatusCodes.Status405MethodNotAllowed)
            await ProblemResponse.WriteAsync(context, ProblemCatalog.MethodNotAllowed).ConfigureAwait(false);
    }
}
