using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Page.Support;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>Pages of other origins in a real browser: those that the settings name use the service, and no other does.</summary>
public sealed class CrossOriginTests(Browser browser) : PageTest(browser)
{
    private const string Script = """
        async ([url, method, key, body]) => {
            try {
                const headers = key ? { 'Authorization': 'Bearer ' + key, 'BigPile-Ttl': '1h' } : {};
                const answer = await fetch(url, { method, headers, body: body ?? undefined, cache: 'no-store' });
                return answer.status + ' ' + await answer.text() + (answer.headers.has('ETag') ? ' tag' : '')
                    + (answer.headers.has('BigPile-Ttl') ? ' ttl' : '');
            } catch (e) {
                return e.name;
            }
        }
        """;

    private readonly KeySettings _keys =
        new KeySettings().With("writer", KeyScopes.Read | KeyScopes.Write, "orders").With("reader", KeyScopes.Read, "orders");

    private WebApplication _named = null!;
    private WebApplication _other = null!;

    protected override string[] Settings => [.. _keys.Arguments, "--Security:Origins=" + _named.Urls.Single()];

    public override async Task InitializeAsync()
    {
        _named = await ServeAsync();
        _other = await ServeAsync();
        await base.InitializeAsync();
    }

    public override async Task DisposeAsync()
    {
        await base.DisposeAsync();
        await _named.DisposeAsync();
        await _other.DisposeAsync();
    }

    [BrowserFact]
    public async Task A_named_page_puts_and_reads_what_its_key_may_and_reads_why_not()
    {
        IPage named = await OpenAsync(_named);
        string entry = Server.Address + "v1/tables/orders/entries/k";
        Assert.Equal("201  tag", await FetchAsync(named, entry, "PUT", "writer", "hello"));
        Assert.Equal("200 hello tag ttl", await FetchAsync(named, entry, "GET", "writer"));
        Assert.Equal("200 hello tag ttl", await FetchAsync(named, entry, "GET", "reader"));
        Assert.StartsWith("403 {", await FetchAsync(named, entry, "PUT", "reader", "other"), StringComparison.Ordinal);
        Assert.StartsWith("403 {", await FetchAsync(named, entry.Replace("orders", "other"), "GET", "reader"), StringComparison.Ordinal);
        Assert.StartsWith("401 {", await FetchAsync(named, entry, "GET", null), StringComparison.Ordinal);
        Assert.StartsWith("404 {", await FetchAsync(named, entry + "x", "GET", "reader"), StringComparison.Ordinal);
        Assert.StartsWith("204", await FetchAsync(named, entry, "DELETE", "writer"), StringComparison.Ordinal);
    }

    [BrowserFact]
    public async Task Another_page_gets_nothing_whatever_its_key()
    {
        IPage named = await OpenAsync(_named);
        IPage other = await OpenAsync(_other);
        string entry = Server.Address + "v1/tables/orders/entries/k";
        Assert.Equal("201  tag", await FetchAsync(named, entry, "PUT", "writer", "hello"));
        foreach ((string method, string? key) in new[] { ("GET", "writer"), ("PUT", "writer"), ("DELETE", "writer"), ("GET", null) })
            Assert.Equal("TypeError", await FetchAsync(other, entry, method, key));
        Assert.Equal("200 hello tag ttl", await FetchAsync(named, entry, "GET", "reader"));
    }

    private static async Task<WebApplication> ServeAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        WebApplication pages = builder.Build();
        pages.Urls.Add("http://127.0.0.1:0");
        pages.Run(static context =>
        {
            context.Response.ContentType = "text/html";
            return context.Response.WriteAsync("<title>x</title>");
        });
        await pages.StartAsync();
        return pages;
    }

    private async Task<IPage> OpenAsync(WebApplication pages)
    {
        IBrowserContext context = await Browser.Get().NewContextAsync();
        IPage tab = await context.NewPageAsync();
        await tab.GotoAsync(pages.Urls.Single());
        return tab;
    }

    private Task<string> FetchAsync(IPage page, string url, string method, string? key, string? body = null) =>
        page.EvaluateAsync<string>(Script, new[] { url, method, key == null ? null : _keys[key], body });
}
