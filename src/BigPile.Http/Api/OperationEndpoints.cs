using System.Linq;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Http.Api;

/// <summary>Lists operations, and stops one.</summary>
internal sealed class OperationEndpoints(OperationStore operations)
{
    internal Task ListAsync(HttpContext context) =>
        JsonAnswer.WriteAsync(
            context,
            new JsonObject { ["operations"] = new JsonArray([.. operations.All.Select(static operation => operation.Describe())]) });

    internal Task GetAsync(HttpContext context) =>
        Find(context) is { } operation
            ? JsonAnswer.WriteAsync(context, operation.Describe())
            : ProblemResponse.WriteAsync(context, ProblemCatalog.OperationNotFound);

    /// <summary>Asks an operation to stop; its state tells when it has.</summary>
    internal Task CancelAsync(HttpContext context)
    {
        if (Find(context) is not { } operation)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.OperationNotFound);
        if (!operation.TryCancel())
            return ProblemResponse.WriteAsync(context, ProblemCatalog.OperationEnded);
        context.Response.StatusCode = StatusCodes.Status202Accepted;
        return JsonAnswer.WriteAsync(context, operation.Describe());
    }

    private Operation? Find(HttpContext context) => operations.Find((string?)context.GetRouteValue("id") ?? "");
}
