using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>An application with a pile in memory, on a free port of the loopback interface, with or without the fast path.</summary>
internal sealed class ServedApp : IAsyncDisposable
{
    private readonly WebApplication _app;

    private ServedApp(WebApplication app, ManualTime time)
    {
        _app = app;
        Time = time;
        Port = new Uri(app.Urls.Single()).Port;
        Table = app.Services.GetRequiredService<PileCache>().GetOrCreateTable<string, byte[]>("t");
        Counters = app.Services.GetRequiredService<FastPathCounters>();
    }

    internal int Port { get; }

    internal ManualTime Time { get; }

    internal CacheTable<string, byte[]> Table { get; }

    internal FastPathCounters Counters { get; }

    internal IServiceProvider Services => _app.Services;

    /// <summary>Requests that block in <c>/block/NAME</c> until the test ends them.</summary>
    internal ConcurrentDictionary<string, TaskCompletionSource> Blocks { get; } = new();

    internal static async Task<ServedApp> StartAsync(
        bool isFast, Action<KestrelServerOptions>? configure = null, Action<ListenOptions>? listen = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var time = new ManualTime();
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.Services.AddBigPile(static pile =>
        {
            pile.SegmentBytes = 4 << 20;
            pile.StartWait = TimeSpan.FromMinutes(5);
        });
        builder.Services.AddBigPileHttp(static service => service.MaxLease = TimeSpan.FromSeconds(5));
        builder.WebHost.ConfigureKestrel(server =>
        {
            configure?.Invoke(server);
            server.Listen(IPAddress.Loopback, 0, endpoint =>
            {
                listen?.Invoke(endpoint);
                if (isFast)
                    endpoint.UseBigPileFastReads(static options => options.IgnoredHeaders.Add("X-Forwarded-For"));
            });
        });
        WebApplication app = builder.Build();
        ServedApp? served = null;
        app.UseBigPileEntries();
        app.Run(context => served!.AnswerAsync(context));
        await app.StartAsync();
        return served = new ServedApp(app, time);
    }

    /// <summary>Puts an entry as the service stores it, and gives its tag.</summary>
    internal string Put(
        string key, ReadOnlySpan<byte> payload, string contentType = "application/json", ContentCoding coding = ContentCoding.Identity,
        EntryOptions? options = null)
    {
        ValueBuffer buffer = ValueBuffer.Rent(null);
        StoredValue.WriteHead(buffer, contentType, coding);
        System.Buffers.BuffersExtensions.Write(buffer, payload);
        Table.PutBytes(key, buffer.WrittenSpan, options, out EntryInfo info);
        ValueBuffer.Return(buffer);
        return EntityTag.Of(info.Version);
    }

    internal Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        foreach (TaskCompletionSource block in Blocks.Values)
            block.TrySetResult();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private async Task AnswerAsync(HttpContext context)
    {
        string path = context.Request.Path.Value!;
        if (path.StartsWith("/block/", StringComparison.Ordinal))
            await Blocks.GetOrAdd(
                path["/block/".Length..], static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        else if (path == "/read")
            await context.Request.Body.CopyToAsync(System.IO.Stream.Null);
        else if (path == "/fail")
            throw new InvalidOperationException("as asked");
        await context.Response.WriteAsync("answer of the application to " + path);
    }
}
