using System;
using System.Linq;
using System.Text;
using BigPile.Http;
using BigPile.Http.FastPath;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves reads of entries ahead of the server's own HTTP stack.</summary>
public static class BigPileFastReadsExtensions
{
    /// <summary>
    /// Answers plain <c>GET</c> and <c>HEAD</c> requests for single entries on a fast path ahead of the HTTP stack, about twice as fast.
    /// </summary>
    /// <remarks>
    /// Call it after <c>UseHttps</c> on an endpoint of an application that calls <c>UseBigPileEntries</c>. Answers equal those of the full
    /// stack. A request that the fast path does not support goes unchanged to the full stack on the same connection, and the connection
    /// returns afterwards. Middleware does not see the requests that the fast path answers, nor does middleware that logs requests; the
    /// meter <c>BigPile.Server</c> counts them. The server's limits and timeouts hold, and the rate limits of keys: a request that is
    /// handed over is charged once. The fast path stays off, with one line in the log, if <c>AllowedHosts</c> is set, and if the endpoint
    /// does not speak HTTP/1.1 or announces HTTP/3.
    /// </remarks>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="configure">Changes the options.</param>
    /// <returns><paramref name="endpoint"/>.</returns>
    /// <exception cref="InvalidOperationException">
    /// The application has no pile, or does not serve it: <c>AddBigPile</c> or <c>AddBigPileHttp</c> was not called.
    /// </exception>
    public static ListenOptions UseBigPileFastReads(this ListenOptions endpoint, Action<BigPileFastReadsOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        var options = new BigPileFastReadsOptions();
        configure?.Invoke(options);
        endpoint.Use(next => Connect(endpoint, options, next));
        return endpoint;
    }

    // Called when the endpoint is bound, when its configuration is final.
    private static ConnectionDelegate Connect(ListenOptions endpoint, BigPileFastReadsOptions options, ConnectionDelegate next)
    {
        IServiceProvider services = endpoint.ApplicationServices;
        ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger("BigPile.Http.FastReads");
        if (FastPathObstacle.Find(endpoint.Protocols, services.GetService<IConfiguration>()) is { } obstacle)
        {
            logger.LogInformation("Reads at {Endpoint} go through the full HTTP stack, because {Obstacle}", endpoint, obstacle);
            return next;
        }
        FastPathEndpoint fastPath = Make(endpoint.KestrelServerOptions, services, options);
        return connection => IsHttp2(connection) ? next(connection) : new FastPathConnection(fastPath, connection).RunAsync(next);
    }

    private static FastPathEndpoint Make(KestrelServerOptions server, IServiceProvider services, BigPileFastReadsOptions options) => new(
        services,
        services.GetRequiredService<IEntryGuard>(),
        services.GetRequiredService<FastPathCounters>(),
        new HeadLimits(server.Limits),
        services.GetRequiredService<TimeProvider>(),
        [.. options.IgnoredHeaders.Select(static name => Encoding.ASCII.GetBytes(name))],
        server.AddServerHeader,
        services.GetService<AccessRules>()?.VariesByOrigin == true)
    {
        Latency = services.GetService<EntryLatency>(),
        Log = services.GetService<IReadLog>(),
        Clients = services.GetService<AccessRules>()?.Clients,
        Load = services.GetService<RequestLoad>(),
    };

    private static bool IsHttp2(ConnectionContext connection) =>
        connection.Features.Get<ITlsApplicationProtocolFeature>() is { } tls && tls.ApplicationProtocol.Span.SequenceEqual("h2"u8);
}
