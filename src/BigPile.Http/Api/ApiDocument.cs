using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Api;

/// <summary>The OpenAPI 3.1 description of the service.</summary>
/// <remarks>
/// Generated from <see cref="ApiCatalog"/>: most requests are answered ahead of the framework's routing, from which other descriptions are
/// generated.
/// </remarks>
internal static class ApiDocument
{
    private static readonly Lazy<JsonObject> Document = new(Make);

    internal static Task GetAsync(HttpContext context) => JsonAnswer.WriteAsync(context, Document.Value);

    private static JsonObject Make()
    {
        var paths = new JsonObject();
        foreach (ApiOperation operation in ApiCatalog.All)
        {
            if (paths[operation.Path] is not JsonObject path)
            {
                path = new JsonObject { ["parameters"] = PathParameters(operation.Path) };
                paths[operation.Path] = path;
            }
            path[operation.Method] = Describe(operation);
        }
        return new JsonObject
        {
            ["openapi"] = "3.1.0",
            ["info"] = new JsonObject
            {
                ["title"] = "BigPile",
                ["version"] = "1",
                ["description"] =
                    "Tables of payloads, served byte for byte. A key is percent-encoded UTF-8 of 1 to 1,024 bytes and may hold slashes; "
                    + "an action at the end of a key counts as it comes over the wire, so a key that ends with :touch is written "
                    + "%3Atouch in a POST.",
            },
            ["paths"] = paths,
            ["components"] = new JsonObject { ["schemas"] = Schemas() },
        };
    }

    private static JsonObject Describe(ApiOperation operation)
    {
        var document = new JsonObject
        {
            ["operationId"] = operation.Id,
            ["tags"] = new JsonArray(operation.Group),
            ["summary"] = operation.Summary,
        };
        JsonObject[] parameters =
        [
            .. operation.Query.Select(static item => Parameter(item.Name, "query", item.Meaning)),
            .. operation.Headers.Select(static item => Parameter(item.Name, "header", item.Meaning)),
        ];
        if (parameters.Length != 0)
            document["parameters"] = new JsonArray([.. parameters]);
        if (operation.Body.Count != 0)
            document["requestBody"] = new JsonObject { ["content"] = Content(operation.Body, null) };
        document["responses"] = Responses(operation);
        return document;
    }

    private static JsonObject Responses(ApiOperation operation)
    {
        var responses = new JsonObject { [Text(operation.Status)] = new JsonObject { ["description"] = "Done." } };
        if (operation.Answer.Length != 0)
            responses[Text(operation.Status)]!["content"] = Content(operation.Answer, operation.AnswerSchema);
        foreach ((int status, string meaning) in operation.Others)
            responses[Text(status)] = new JsonObject { ["description"] = meaning };
        foreach (IGrouping<int, Problem> problems in operation.Problems.GroupBy(static problem => problem.Status))
        {
            responses[Text(problems.Key)] = new JsonObject
            {
                ["description"] = string.Join(" ", problems.Select(static problem => $"{problem.Code}: {problem.Title}")),
                ["content"] = new JsonObject
                {
                    [ProblemResponse.ContentType] = new JsonObject { ["schema"] = Reference("Problem") },
                },
            };
        }
        return responses;
    }

    private static JsonObject Content(IEnumerable<string> mediaTypes, string? schema)
    {
        var content = new JsonObject();
        foreach (string mediaType in mediaTypes)
            content[mediaType] = schema == null ? new JsonObject() : new JsonObject { ["schema"] = Reference(schema) };
        return content;
    }

    private static JsonArray PathParameters(string path)
    {
        var parameters = new JsonArray();
        foreach (string name in new[] { "table", "key", "id" })
        {
            if (!path.Contains('{' + name + '}', StringComparison.Ordinal))
                continue;
            JsonObject parameter = Parameter(name, "path", name == "key" ? "The key, percent-encoded." : $"The {name}.");
            parameter["required"] = true;
            parameters.Add(parameter);
        }
        return parameters;
    }

    private static JsonObject Parameter(string name, string place, string meaning) => new()
    {
        ["name"] = name,
        ["in"] = place,
        ["description"] = meaning,
        ["schema"] = new JsonObject { ["type"] = "string" },
    };

    private static JsonObject Schemas() => new()
    {
        ["Problem"] = ProblemSchema(),
        ["Operation"] = OperationSchema.Operation(),
        ["Operations"] = OperationSchema.Operations(),
        ["Progress"] = OperationSchema.Progress(),
    };

    private static JsonObject ProblemSchema() => new()
    {
        ["type"] = "object",
        ["required"] = new JsonArray("type", "status", "code", "title"),
        ["properties"] = new JsonObject
        {
            ["type"] = Property("string", "urn:bigpile:error: and the code."),
            ["status"] = Property("integer", "The status of the answer."),
            ["code"] = new JsonObject
            {
                ["type"] = "string",
                ["enum"] = new JsonArray([.. ProblemCatalog.All().Select(static problem => JsonValue.Create(problem.Code))]),
            },
            ["title"] = Property("string", "What the code means."),
            ["detail"] = Property("string", "What happened to this request."),
            ["table"] = Property("string", "The table that the request named."),
            ["key"] = Property("string", "The key that the request named, cut off if it is long."),
            ["limit"] = Property("integer", "The limit that the request exceeded."),
            ["actual"] = Property("integer", "What the request had where the limit is."),
            ["retryAfterMs"] = Property("integer", "After how many milliseconds it may be worth to try again."),
            ["traceId"] = Property("string", "What logs and traces call the request."),
        },
    };

    internal static JsonObject Reference(string schema) => new() { ["$ref"] = "#/components/schemas/" + schema };

    internal static JsonObject Property(string type, string description) => new() { ["type"] = type, ["description"] = description };

    private static string Text(int status) => status.ToString(CultureInfo.InvariantCulture);
}
