using System;
using System.Text.Json;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves single tables at paths of the application's choice.</summary>
/// <remarks>
/// <c>GET</c>, <c>HEAD</c>, <c>PUT</c> and <c>DELETE</c>, with ETag, conditions and the headers of the service. The key is the route value
/// <c>key</c>, as routing decodes it: <c>{key}</c> for keys without slashes, <c>{**key}</c> for keys with them; an escaped slash stays
/// <c>%2F</c>. Add authorization and limits to the returned builder.
/// </remarks>
public static class BigPileTableExtensions
{
    private static readonly string[] Methods = ["GET", "HEAD", "PUT", "DELETE"];

    /// <summary>Serves the payloads of a table of the application's pile as they were put, with their content types.</summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="pattern">The path, with the parameter <c>key</c>.</param>
    /// <param name="tableName">The table; the first <c>PUT</c> creates it if there is none.</param>
    /// <exception cref="ArgumentException">The pattern has no parameter <c>key</c>, or the name is not valid.</exception>
    public static IEndpointConventionBuilder MapTable(this IEndpointRouteBuilder endpoints, string pattern, string tableName)
    {
        Check(endpoints, pattern);
        ArgumentNullException.ThrowIfNull(tableName);
        if (!TableName.IsValid(tableName))
            throw new ArgumentException($"'{tableName}' is no name of a table that can be served: 1 to 128 characters of A-Z, a-z, 0-9, "
                + "'.', '_' and '-'.", nameof(tableName));
        IServiceProvider services = endpoints.ServiceProvider;
        var table = new StoredTable(tableName, Registered.HostOf(services), ReaderOf(services), WriterOf(services));
        return endpoints.MapMethods(pattern, Methods, (RequestDelegate)table.HandleAsync);
    }

    /// <summary>Serves the objects of a table of the application's pile as JSON.</summary>
    /// <typeparam name="TValue">The type of the objects.</typeparam>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="pattern">The path, with the parameter <c>key</c>.</param>
    /// <param name="tableName">The table; the first request creates it if there is none.</param>
    /// <param name="json">The serializer options; by default the web defaults.</param>
    /// <exception cref="ArgumentException">The pattern has no parameter <c>key</c>, or the name is empty.</exception>
    public static IEndpointConventionBuilder MapTable<TValue>(
        this IEndpointRouteBuilder endpoints, string pattern, string tableName, JsonSerializerOptions? json = null)
    {
        Check(endpoints, pattern);
        ArgumentException.ThrowIfNullOrEmpty(tableName);
        PileHost host = endpoints.ServiceProvider.GetRequiredService<PileHost>();
        host.MappedTables[tableName] = true;
        return Map(endpoints, pattern, _ => TableOf<TValue>(host, tableName), json);
    }

    /// <summary>Serves the objects of a table as JSON.</summary>
    /// <typeparam name="TValue">The type of the objects.</typeparam>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="pattern">The path, with the parameter <c>key</c>.</param>
    /// <param name="table">The table, of any open pile.</param>
    /// <param name="json">The serializer options; by default the web defaults.</param>
    /// <exception cref="ArgumentException">The pattern has no parameter <c>key</c>.</exception>
    public static IEndpointConventionBuilder MapTable<TValue>(
        this IEndpointRouteBuilder endpoints, string pattern, CacheTable<string, TValue> table, JsonSerializerOptions? json = null)
    {
        Check(endpoints, pattern);
        ArgumentNullException.ThrowIfNull(table);
        table.HasOpaqueValues = true;
        return Map(endpoints, pattern, _ => table, json);
    }

    internal static EntryReader ReaderOf(IServiceProvider services) =>
        new(services.GetRequiredService<RequestLimits>(), services.GetRequiredService<BufferQuota>(), services
            .GetRequiredService<TimeProvider>());

    internal static EntryWriter WriterOf(IServiceProvider services) => new(
        services.GetRequiredService<RequestLimits>(), services.GetRequiredService<BufferQuota>(),
        services.GetRequiredService<ExpensiveWork>(),
        services.GetRequiredService<TimeProvider>(), services.GetRequiredService<ILogger<EntryWriter>>());

    private static CacheTable<string, TValue> TableOf<TValue>(PileHost host, string name)
    {
        ServedTables tables = host.Tables ?? throw new ObjectDisposedException(nameof(PileCache));
        return tables.Cache.TryGetTable(name, out CacheTable<string, TValue>? table)
            ? table
            : tables.Cache.GetOrCreateTable<string, TValue>(name);
    }

    private static IEndpointConventionBuilder Map<TValue>(
        IEndpointRouteBuilder endpoints, string pattern, Func<HttpContext, CacheTable<string, TValue>> find, JsonSerializerOptions? json)
    {
        IServiceProvider services = endpoints.ServiceProvider;
        long maxBodyBytes = services.GetService<RequestLimits>()?.MaxBodyBytes ?? BigPileHttpOptions.DefaultMaxBodyBytes;
        var table = new JsonEntries<TValue>(
            find, json ?? JsonSerializerOptions.Web, services.GetService<TimeProvider>() ?? TimeProvider.System, maxBodyBytes,
            services.GetService<BufferQuota>());
        return endpoints.MapMethods(pattern, Methods, (RequestDelegate)table.HandleAsync);
    }

    private static void Check(IEndpointRouteBuilder endpoints, string pattern)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        if (RoutePatternFactory.Parse(pattern).GetParameter("key") == null)
            throw new ArgumentException(
                $"The pattern '{pattern}' has no parameter 'key'; one looks like /products/{{key}}.", nameof(pattern));
    }
}
