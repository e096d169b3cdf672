using System;
using System.Linq;
using System.Reflection;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Http.Api;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Server.Tests.Api;

public sealed class DescriptionTests : ServerTest
{
    // What others serve beside the API, and what stands for paths that are described one by one.
    private static readonly string[] Undescribed = ["/v1/tables/{table}/entries/{**key}", "/v1/tables/{table}:{action}"];

    [Fact]
    public async Task The_description_has_every_route_and_every_code()
    {
        JsonElement document = await GetJsonAsync("/openapi/v1.json");
        Assert.StartsWith("3.1", document.GetProperty("openapi").GetString(), StringComparison.Ordinal);
        JsonElement paths = document.GetProperty("paths");
        foreach (RouteEndpoint endpoint in Server.Service<EndpointDataSource>().Endpoints.OfType<RouteEndpoint>())
        {
            string pattern = endpoint.RoutePattern.RawText!;
            if (Undescribed.Contains(pattern)
                || !(pattern.StartsWith("/v1", StringComparison.Ordinal) || pattern.StartsWith("/openapi", StringComparison.Ordinal)))
                continue;
            Assert.True(paths.TryGetProperty(pattern, out JsonElement path), pattern);
            foreach (string method in (endpoint.Metadata.GetMetadata<HttpMethodMetadata>()?.HttpMethods ?? []).Where(
                static method => method != "HEAD"))
                Assert.True(path.TryGetProperty(method.ToLowerInvariant(), out _), $"{method} {pattern}");
        }
        string[] codes = [.. document.GetProperty("components").GetProperty("schemas").GetProperty("Problem").GetProperty("properties")
            .GetProperty("code").GetProperty("enum").EnumerateArray().Select(static code => code.GetString()!)];
        Assert.Equal(ProblemCatalog.All().Select(static problem => problem.Code), codes);
        string[] ids = [.. ApiCatalog.All.Select(static operation => operation.Id)];
        Assert.Equal(ids.Length, ids.Distinct().Count());
    }

    [Fact]
    public async Task What_is_described_is_there()
    {
        foreach (ApiOperation operation in ApiCatalog.All)
        {
            string path = operation.Path.Replace("{table}", "no-such-table").Replace("{key}", "k").Replace("{id}", "i");
            string answer = await Server.SendRawAsync($"{operation.Method.ToUpperInvariant()} {path}", "Content-Length: 0");
            Assert.DoesNotContain("\"code\":\"route_not_found\"", answer, StringComparison.Ordinal);
            Assert.DoesNotContain("HTTP/1.1 405", answer, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Each_code_is_one_problem_and_a_field_of_the_catalogue()
    {
        string[] codes = [.. ProblemCatalog.All().Select(static problem => problem.Code)];
        Assert.Equal(codes.Length, codes.Distinct().Count());
        foreach (MethodInfo method in typeof(ProblemCatalog).GetMethods(
            BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
        {
            if (method.ReturnType != typeof(Problem) || method.GetParameters().Any(static parameter => parameter.ParameterType.IsByRefLike))
                continue;
            object?[] arguments =
            [
                .. method.GetParameters().Select(static parameter =>
                    parameter.ParameterType == typeof(string) ? ""
                    : parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null),
            ];
            Assert.Contains(((Problem)method.Invoke(null, arguments)!).Code, codes);
        }
    }
}
