using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.Server.Hosting;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Support;

/// <summary>A server in the test's process, on a free port of the loopback interface.</summary>
internal sealed class RunningServer : IAsyncDisposable
{
    private readonly WebApplication _app;

    private RunningServer(WebApplication app)
    {
        _app = app;
        Address = new Uri(app.Urls.First());
        Client = new HttpClient { BaseAddress = Address };
    }

    internal Uri Address { get; }

    internal HttpClient Client { get; }

    /// <summary>All addresses, the one for administrators last.</summary>
    internal Uri[] Addresses => [.. _app.Urls.Select(static url => new Uri(url))];

    /// <summary>Starts a server; it is ready.</summary>
    internal static Task<RunningServer> StartAsync(string directory, params string[] settings) =>
        StartAsync(directory, static _ => { }, settings);

    /// <summary>Starts a server with other services; it is ready.</summary>
    internal static async Task<RunningServer> StartAsync(string directory, Action<IServiceCollection> configure, params string[] settings)
    {
        return await StartOpeningAsync(directory, services => configure(services.PostConfigureAll<BigPileOptions>(Wait)), settings);

        static void Wait(BigPileOptions options) => options.StartWait = TimeSpan.FromMinutes(5); // a busy machine takes long
    }

    /// <summary>Starts a server with other services; it may not be ready.</summary>
    internal static async Task<RunningServer> StartOpeningAsync(
        string directory, Action<IServiceCollection> configure, params string[] settings)
    {
        WebApplication app = Build(directory, configure, settings);
        await app.StartAsync();
        return new RunningServer(app);
    }

    internal static string[] Arguments(string directory, params string[] settings) =>
    [
        "--urls", "http://127.0.0.1:0", $"--Pile:Directory={directory}", "--Pile:SegmentBytes=4m", "--Server:LoadSample=false",
        "--Serilog:MinimumLevel:Default=Error", .. settings,
    ];

    internal IServiceProvider Services => _app.Services;

    internal T Service<T>() where T : notnull => _app.Services.GetRequiredService<T>();

    internal Task<HttpResponseMessage> PutAsync(string path, byte[] body, string? contentType = null)
    {
        var content = new ByteArrayContent(body);
        if (contentType != null)
            content.Headers.ContentType = MediaTypeHeaderValue.Parse(contentType);
        return Client.PutAsync(path, content);
    }

    /// <summary>Sends a request with headers as they are.</summary>
    internal Task<HttpResponseMessage> SendAsync(string method, string path, byte[]? body, params (string Name, string Value)[] headers)
    {
        var target = new Uri(Address.GetLeftPart(UriPartial.Authority)
            + path, new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        var request = new HttpRequestMessage(new HttpMethod(method), target);
        if (body != null)
            request.Content = new ByteArrayContent(body);
        foreach ((string name, string value) in headers)
        {
            if (!name.StartsWith("Content-", StringComparison.Ordinal) || request.Content == null)
                Assert.True(request.Headers.TryAddWithoutValidation(name, value));
            else
                Assert.True(request.Content.Headers.TryAddWithoutValidation(name, value));
        }
        return Client.SendAsync(request);
    }

    /// <summary>Sends a request as it is written, and reads the answer to the end of the connection.</summary>
    /// <param name="requestLine">Method and target; the target is not touched.</param>
    /// <param name="headers">More header lines.</param>
    internal async Task<string> SendRawAsync(string requestLine, params string[] headers)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(Address.Host, Address.Port);
        NetworkStream stream = client.GetStream();
        string head = string.Join("\r\n", [requestLine + " HTTP/1.1", "Host: localhost", "Connection: close", .. headers]) + "\r\n\r\n";
        await stream.WriteAsync(Encoding.UTF8.GetBytes(head));
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return await reader.ReadToEndAsync().WaitAsync(Eventually.Timeout);
    }

    internal Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private static WebApplication Build(string directory, Action<IServiceCollection> configure, string[] settings) =>
        ServerApplication.Build(Arguments(directory, settings), configure);
}
