using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Http.Console;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Page;

/// <summary>The page's files as they are served.</summary>
public sealed class AssetTests : IAsyncLifetime
{
    private readonly TemporaryDirectory _directory = new();
    private RunningServer _server = null!;

    public async Task InitializeAsync() => _server = await RunningServer.StartAsync(_directory.Pile);

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Theory]
    [InlineData("/", "text/html; charset=utf-8")]
    [InlineData("/console/console.css", "text/css; charset=utf-8")]
    [InlineData("/console/main.js", "text/javascript; charset=utf-8")]
    [InlineData("/console/icon.svg", "image/svg+xml")]
    public async Task A_file_has_its_type_its_tag_and_the_strict_policy(string path, string contentType)
    {
        using HttpResponseMessage response = await _server.Client.GetAsync(path);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(contentType, response.Content.Headers.ContentType?.ToString());
        string policy = response.Headers.GetValues("Content-Security-Policy").Single();
        Assert.StartsWith("default-src 'none';", policy);
        Assert.DoesNotContain("unsafe", policy);
        Assert.DoesNotContain("http", policy);
        Assert.Equal("nosniff", response.Headers.GetValues("X-Content-Type-Options").Single());

        using var again = new HttpRequestMessage(HttpMethod.Get, path);
        again.Headers.IfNoneMatch.Add(response.Headers.ETag!);
        using HttpResponseMessage same = await _server.Client.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, same.StatusCode);

        using HttpResponseMessage head = await _server.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, path));
        Assert.Equal((HttpStatusCode.OK, response.Content.Headers.ContentLength), (head.StatusCode, head.Content.Headers.ContentLength));
    }

    [Theory]
    [InlineData("/console/none.js")]
    [InlineData("/console/..%2Findex.html")]
    [InlineData("/console")]
    public async Task Other_names_have_nothing(string path)
    {
        using HttpResponseMessage response = await _server.Client.GetAsync(path);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public void No_file_makes_markup_from_texts_or_names_another_host()
    {
        string[] forbidden = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "https://", " style=", " onclick"];
        foreach (ConsoleAsset asset in ConsoleAsset.ReadAll().Values)
        {
            string text =
                System.Text.Encoding.UTF8.GetString(asset.Body).Replace("http://www.w3.org/2000/svg", "", System.StringComparison.Ordinal);
            Assert.All([.. forbidden, "http://"], part => Assert.DoesNotContain(part, text));
        }
    }
}
