using System;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests;

/// <summary>The pile itself logs what it refuses, in one line a minute; the request log warns of none of it.</summary>
public sealed class FullPileLogTests : IDisposable
{
    private static readonly string Category = typeof(RequestLog).FullName!;

    private readonly TemporaryDirectory _directory = new();
    private readonly KeptLog _debug = new(LogLevel.Debug, Category);
    private readonly KeptLog _usual = new(LogLevel.Information, Category);
    private readonly KeptLog _warnings = new(LogLevel.Warning, Category);

    public void Dispose()
    {
        _directory.Dispose();
        _debug.Dispose();
        _usual.Dispose();
        _warnings.Dispose();
    }

    [Fact]
    public async Task A_put_that_a_full_pile_refuses_has_no_line_at_the_usual_level()
    {
        await using (RunningServer server = await RunningServer.StartAsync(
            _directory.Pile,
            services => services.AddSingleton<ILoggerProvider>(_debug).AddSingleton<ILoggerProvider>(_usual)
                .AddSingleton<ILoggerProvider>(_warnings),
            "--Pile:MaxBytes=4m", $"--Logging:LogLevel:{Category}=Debug"))
        {
            HttpResponseMessage put = await server.PutAsync("/v1/tables/t/entries/k", new byte[8 << 20]);
            Assert.Equal(HttpStatusCode.InsufficientStorage, put.StatusCode);
            byte[] items = Encoding.ASCII.GetBytes($$"""{"items":[{"key":"k","value":"{{new string('v', 8 << 20)}}"}]}""");
            HttpResponseMessage batch = await server.SendAsync("POST", "/v1/tables/t:mset", items);
            Assert.Contains("pile_full", await batch.Content.ReadAsStringAsync(), StringComparison.Ordinal);
            HttpResponseMessage load = await server.SendAsync("POST", "/v1/tables/t:load", items.AsMemory(10, items.Length - 12).ToArray());
            Assert.Equal(HttpStatusCode.InsufficientStorage, load.StatusCode);
        }
        Assert.Empty(_warnings.Lines);
        Assert.StartsWith(
            "POST /v1/tables/t:load from 127.0.0.1 answered 507", Assert.Single(_usual.Lines), StringComparison.Ordinal);
        Assert.Contains(_debug.Lines, static line =>
            line.StartsWith("PUT /v1/tables/t/entries/k from 127.0.0.1 answered 507", StringComparison.Ordinal));
    }
}
