using System.Threading.Tasks;
using BigPile.Server.Tests.Page.Support;

namespace BigPile.Server.Tests.Page;

/// <summary>The page of a service that asks for keys, and of a browser that keeps to the page's policy.</summary>
public sealed class GuardTests(Browser browser) : PageTest(browser)
{
    private const string Refusal =
        """{"type":"urn:bigpile:error:unauthorized","title":"A key is needed.","status":401,"code":"unauthorized"}""";

    [BrowserFact]
    public async Task A_service_with_keys_is_asked_with_one_that_stays_in_the_tab()
    {
        await PutAsync("secret", "k", "hidden", "text/plain");
        await using OpenPage page = await OpenAsync(prepare: static tab => tab.RouteAsync("**/v1/**", static route =>
            route.Request.Headers.TryGetValue("authorization", out string? given) && given == "Bearer right"
                ? route.FallbackAsync()
                : route.FulfillAsync(new() { Status = 401, ContentType = "application/problem+json", Body = Refusal })));
        page.Expected.Add("401");
        await page.HasStatusAsync("locked");
        await page.PictureAsync("key-light");
        await page.Tab.Keyboard.TypeAsync("wrong"); // the dialog has the focus
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#banner", "does not take this API key");
        await page.At("#key-input").FillAsync("right");
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasStatusAsync("ready");
        await page.HasTextAsync("#table-rows", "secret");
        Assert.Equal("right", await page.Tab.EvaluateAsync<string>("sessionStorage.getItem('bigpile-api-key')"));
        Assert.Equal(0, await page.Tab.EvaluateAsync<int>("localStorage.length + document.cookie.length"));
        await page.At("#key-button").ClickAsync();
        await page.At("#key-forget").ClickAsync();
        await page.HasStatusAsync("locked");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Where_administration_is_on_another_port_nothing_of_it_is_asked_or_offered()
    {
        await PutAsync("stock", "k", "v", "text/plain");
        await using OpenPage page =
            await OpenAsync(prepare: static tab => tab.RouteAsync("**/v1/access", static route => route.FulfillAsync(new()
        {
            ContentType = "application/json",
            Body = """{"scopes":["read","write","admin"],"tables":["*"],"allTables":true,"administration":false}""",
        })));
        bool isAsked = false;
        page.Tab.Request += (_, request) => isAsked |= request.Url.EndsWith("/v1/operations", System.StringComparison.Ordinal);
        await page.HasTextAsync("#table-rows", "stock");
        await page.HasTextAsync("#access-not", "administration is answered on another port");
        await page.HasAskedAsync(3);
        Assert.False(isAsked);
        Assert.Equal(0, await page.At("[data-action=drop]:visible, #operations:visible").CountAsync());
        Assert.True(await page.At("#put-button").IsVisibleAsync());
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_key_that_loses_what_it_had_sees_what_is_left()
    {
        await PutAsync("stock", "k", "v", "text/plain");
        bool isLess = false;
        await using OpenPage page = await OpenAsync(prepare: async tab =>
        {
            await tab.RouteAsync("**/v1/stats", route => isLess
                ? route.FulfillAsync(
                    new() { Status = 403, ContentType = "application/problem+json", Body = """{"status":403,"code":"table_forbidden"}""" })
                : route.FallbackAsync());
            await tab.RouteAsync("**/v1/access", route => isLess
                ? route.FulfillAsync(new() { ContentType = "application/json", Body =
                    """{"key":"k","scopes":["read"],"tables":["stock"],"allTables":false,"administration":true}""" })
                : route.FallbackAsync());
        });
        page.Expected.Add("403");
        await page.HasTextAsync("#connections", "Connections open");
        isLess = true;
        await page.HasTextAsync("#access-may", "for the table stock.");
        await page.HasStatusAsync("ready");
        Assert.Equal(0, await page.At("#memory:visible, #service:visible, #documents:visible").CountAsync());
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_script_within_the_document_does_not_run_and_is_noted()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        await page.Tab.EvaluateAsync(
            "(() => { const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); })()");
        Assert.False(await page.Tab.EvaluateAsync<bool>("'broken' in window"));
        Assert.Equal(["script-src-elem inline"], await page.ViolationsAsync());
    }
}
