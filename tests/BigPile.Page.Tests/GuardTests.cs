using System.Threading.Tasks;
using BigPile.Page.Tests.Support;

namespace BigPile.Page.Tests;

/// <summary>The page of a service that asks for keys, and of a browser that keeps to the page's policy.</summary>
public sealed class GuardTests(Browser browser) : PageTest(browser)
{
    private const string Refusal = """{"type":"urn:bigpile:error:unauthorized","title":"A key is needed.","status":401,"code":"unauthorized"}""";

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
    public async Task A_script_within_the_document_does_not_run_and_is_noted()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        await page.Tab.EvaluateAsync("(() => { const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); })()");
        Assert.False(await page.Tab.EvaluateAsync<bool>("'broken' in window"));
        Assert.Equal(["script-src-elem inline"], await page.ViolationsAsync());
    }
}
