using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Http;

/// <summary>
/// The service behind middleware that substitutes the response body: the client must not see a difference.
/// </summary>
public sealed class ReplacedBodyTests
{
    private const string Text = "text/plain";

    private static readonly (string Key, int Bytes)[] Entries = [("none", 0), ("small", 11), ("slice", 32 * 1024), ("large", 300_000)];

    /// <summary>Every way in which an entry or what belongs to it goes out.</summary>
    private static readonly string[] Reads =
    [
        .. Entries.Select(
            static entry => "/v1/tables/t/entries/" + entry.Key), "/v1/tables/t/entries/coded", "/v1/tables/t/entries/missing",
        "/v1/tables/t/keys", "/v1/tables/t:export", "/v1/tables/missing", "/openapi/v1.json", "/pages/small", "/pages/large",
    ];

    public enum Replacement
    {
        OutputCache,
        BodyLogger,
        Compression,
    }

    [Theory]
    [InlineData(Replacement.OutputCache, false)]
    [InlineData(Replacement.OutputCache, true)]
    [InlineData(Replacement.BodyLogger, false)]
    [InlineData(Replacement.BodyLogger, true)]
    [InlineData(Replacement.Compression, false)]
    [InlineData(Replacement.Compression, true)]
    public async Task Reads_are_what_they_are_without_it(Replacement replacement, bool isAheadOfRouting)
    {
        await using WebApplication app = await StartAsync(replacement, isAheadOfRouting);
        using var client = new HttpClient(new SocketsHttpHandler { AutomaticDecompression = DecompressionMethods.All })
        {
            BaseAddress = new Uri(app.Urls.Single()),
        };
        await FillAsync(client);
        foreach (string path in Reads)
        {
            (HttpStatusCode Status, string Type, string Body) plain = await GetAsync(client, path, isReplaced: false);
            Assert.Equal(plain, await GetAsync(client, path, isReplaced: true));
            Assert.Equal(plain, await GetAsync(client, path, isReplaced: true)); // what was kept of the first
        }
        foreach (string form in new[] { "application/json", "application/vnd.bigpile.batch", "multipart/mixed" })
            Assert.Equal(await GetManyAsync(client, form, isReplaced: false), await GetManyAsync(client, form, isReplaced: true));
        await app.StopAsync();
    }

    private static async Task<WebApplication> StartAsync(Replacement replacement, bool isAheadOfRouting)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddBigPile(TestHost.Small).AsOutputCacheStore();
        builder.Services.AddBigPileHttp();
        builder.Services.AddOutputCache(static options => options.AddBasePolicy(static policy => policy.Expire(TimeSpan.FromHours(1))));
        builder.Services.AddResponseCompression(static options => options.MimeTypes = [Text, "application/json"]);
        builder.Services.PostConfigureAll<BigPileOptions>(TestHost.Wait);
        WebApplication app = builder.Build();
        app.UseWhen(
            static context => context.Request.Headers.ContainsKey("Replace"),
            branch => _ = replacement switch
            {
                Replacement.OutputCache => branch.UseOutputCache(),
                Replacement.Compression => branch.UseResponseCompression(),
                _ => branch.Use(static next => context => LogBodyAsync(context, next)),
            });
        if (isAheadOfRouting)
            app.UseBigPileEntries();
        app.UseRouting();
        app.MapBigPile();
        app.MapTable("/pages/{key}", "t");
        await app.StartAsync();
        return app;
    }

    private static async Task LogBodyAsync(HttpContext context, RequestDelegate next)
    {
        Stream own = context.Response.Body;
        using var copy = new MemoryStream();
        context.Response.Body = copy;
        await next(context);
        context.Response.Body = own;
        await own.WriteAsync(copy.GetBuffer().AsMemory(0, (int)copy.Length));
    }

    private static async Task FillAsync(HttpClient client)
    {
        foreach ((string key, int bytes) in Entries)
            await PutAsync(client, key, new ByteArrayContent(Enumerable.Repeat((byte)'a', bytes).ToArray()));
        using var packed = new MemoryStream();
        using (var gzip = new System.IO.Compression.GZipStream(packed, System.IO.Compression.CompressionLevel.Fastest, leaveOpen: true))
            gzip.Write(Encoding.ASCII.GetBytes(new string('b', 1000)));
        await PutAsync(client, "coded", new ByteArrayContent(packed.ToArray()) { Headers = { ContentEncoding = { "gzip" } } });
    }

    private static async Task PutAsync(HttpClient client, string key, ByteArrayContent body)
    {
        body.Headers.ContentType = new(Text);
        Assert.Equal(HttpStatusCode.Created, (await client.PutAsync("/v1/tables/t/entries/" + key, body)).StatusCode);
    }

    private static Task<(HttpStatusCode Status, string Type, string Body)> GetAsync(HttpClient client, string path, bool isReplaced) =>
        SendAsync(client, new HttpRequestMessage(HttpMethod.Get, path), isReplaced);

    private static Task<(HttpStatusCode Status, string Type, string Body)> GetManyAsync(HttpClient client, string form, bool isReplaced)
    {
        var keys = new StringContent("""{"keys":["none","small","slice","large","missing"]}""", Encoding.UTF8, "application/json");
        var request = new HttpRequestMessage(HttpMethod.Post, "/v1/tables/t:mget") { Content = keys };
        request.Headers.Accept.ParseAdd(form);
        return SendAsync(client, request, isReplaced);
    }

    private static async Task<(
        HttpStatusCode Status, string Type, string Body)> SendAsync(HttpClient client, HttpRequestMessage request, bool isReplaced)
    {
        if (isReplaced)
            request.Headers.Add("Replace", "yes");
        using HttpResponseMessage answer = await client.SendAsync(request);
        byte[] body = await answer.Content.ReadAsByteArrayAsync();
        string text = answer.IsSuccessStatusCode ? Encoding.Latin1.GetString(body) : ""; // a problem has the request's id
        string type = answer.Content.Headers.ContentType?.ToString() ?? "";
        if (answer.Content.Headers.ContentType?.Parameters.SingleOrDefault(
            static parameter => parameter.Name == "boundary")?.Value is { } drawn)
            (type, text) = (type.Replace(drawn, "", StringComparison.Ordinal), text.Replace(drawn, "", StringComparison.Ordinal));
        return (answer.StatusCode, type, text);
    }
}
