using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The resource of an Aspire application, as it is described; what would run it is not here.</summary>
public sealed class AspireTests
{
    [Fact]
    public async Task The_service_takes_what_the_resource_gives_it()
    {
        IDistributedApplicationBuilder builder =
            DistributedApplication.CreateBuilder(new DistributedApplicationOptions { DisableDashboard = true });
        BigPileResource resource = builder.AddBigPile("cache").Resource;
        Assert.Equal("bigpile", Assert.Single(resource.Annotations.OfType<ContainerImageAnnotation>()).Image);
        Assert.Equal("/data", Assert.Single(resource.Annotations.OfType<ContainerMountAnnotation>()).Target);
        Assert.Equal((5080, "http"), Assert.Single(resource.Annotations.OfType<EndpointAnnotation>()) is var endpoint
            ? (endpoint.TargetPort, endpoint.Name) : default);
        Assert.Single(resource.Annotations.OfType<HealthCheckAnnotation>());
        Assert.Equal("{cache.bindings.http.url}", resource.ConnectionStringExpression.ValueExpression);

        IExecutionConfigurationResult given = await ExecutionConfigurationBuilder.Create(resource).WithEnvironmentVariablesConfig()
            .BuildAsync(builder.ExecutionContext, NullLogger.Instance);
        using var directory = new TemporaryDirectory();
        await using RunningServer server = await RunningServer.StartAsync(
            directory.Pile,
            [.. given.EnvironmentVariables.Where(static one => one.Key.StartsWith("Security__", System.StringComparison.Ordinal))
                .Select(static one => $"--{one.Key.Replace("__", ":", System.StringComparison.Ordinal)}={one.Value}")]);
        using HttpResponseMessage refused = await server.PutAsync("/v1/tables/t/entries/k", [1]);
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        server.Client.DefaultRequestHeaders.Add("X-Api-Key", resource.Key);
        (await server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        Assert.Equal([1], await server.Client.GetByteArrayAsync("/v1/tables/t/entries/k"));
    }
}
