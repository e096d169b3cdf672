using System;
using Aspire.Hosting.ApplicationModel;
using BigPile.Http.Security;

namespace Aspire.Hosting;

/// <summary>Adds BigPile's service to an Aspire application.</summary>
public static class BigPileResourceBuilderExtensions
{
    private const int Port = 5080;

    /// <summary>
    /// Adds the service in a container, with a volume for its pile, an API key, a health check, and telemetry for the dashboard.
    /// </summary>
    /// <param name="builder">The application's builder.</param>
    /// <param name="name">The resource's name.</param>
    /// <param name="port">The port on the host; any free port when left out.</param>
    /// <returns>The resource's builder; <c>WithImage</c> names another image than <c>bigpile</c>.</returns>
    public static IResourceBuilder<BigPileResource> AddBigPile(
        this IDistributedApplicationBuilder builder, [ResourceName] string name, int? port = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        BigPileKey key = BigPileKey.Create(name, KeyScopes.Read | KeyScopes.Write, out string credential);
        return builder.AddResource(new BigPileResource(name, credential))
            .WithImage("bigpile")
            .WithVolume($"{name}-pile", "/data")
            .WithHttpEndpoint(port, Port, BigPileResource.EndpointName)
            .WithHttpHealthCheck("/health/ready")
            .WithEnvironment("Security__AllowWithoutTls", "true") // only the host reaches the endpoint
            .WithEnvironment("Security__Keys__0__Name", key.Name)
            .WithEnvironment("Security__Keys__0__Hash", key.Hash)
            .WithEnvironment("Security__Keys__0__Scopes", "read,write")
            .WithOtlpExporter();
    }
}
