using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Tests.Page.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>The key browser over the sample and over payloads of every kind.</summary>
public sealed class KeyTests(Browser browser) : PageTest(browser)
{
    private const string Markup = "<img src=x onerror=\"window.broken=1\"><script>window.broken=1</script>";

    // The smallest picture there is: one pixel.
    private static readonly byte[] Pixel = Convert.FromBase64String(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");

    protected override string[] Settings => ["--Server:LoadSample=true"];

    [BrowserTheory]
    [InlineData(ColorScheme.Light, 1280, "loaded-light")]
    [InlineData(ColorScheme.Dark, 1280, "loaded-dark")]
    [InlineData(ColorScheme.Light, 390, "loaded-narrow")]
    [InlineData(ColorScheme.Dark, 1920, "loaded-wide-dark")]
    public async Task The_sample_can_be_browsed(ColorScheme scheme, int width, string picture)
    {
        await PutAsync("sessions", "user:1", "signed in", "text/plain");
        await using OpenPage page = await OpenAsync(scheme, width);
        await page.HasStatusAsync("ready");
        await page.HasTextAsync("#table-rows", "packages");
        await page.HasTextAsync("#keys-note", "100 keys so far");
        await page.At("#more").ClickAsync();
        await page.HasTextAsync("#keys-note", "200 keys so far");
        await page.At("#key-prefix").FillAsync("0ad");
        await page.At("#find button").ClickAsync();
        await page.HasTextAsync("#keys-note", "1 key that begins with “0ad”");
        await page.At("#keys li", new() { HasTextRegex = new("^0ad$") }).ClickAsync();
        await page.HasTextAsync("#payload", "\"id\": \"0ad\",\n  \"version\"");
        await page.HasTextAsync("#entry-facts", "application/json");
        await page.HasTextAsync("#payload-note", "JSON");
        Assert.Equal(0, await page.Tab.EvaluateAsync<int>("Math.max(0, document.documentElement.scrollWidth - innerWidth)"));
        await page.UntilAsync("document.querySelectorAll('#tiles .spark-line[d*=L]').length > 0");
        await page.PictureAsync(picture);
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_payload_is_shown_by_its_type()
    {
        await PutAsync("kinds", "1 json", """{"big":12345678901234567890,"empty":{},"list":[1,[],"a\"{,b"]}""", "application/json");
        await PutAsync("kinds", "2 broken json", "{\"a\":", "application/json");
        await PutAsync("kinds", "3 text", "für élise 🎹", "text/plain; charset=utf-8");
        await PutAsync("kinds", "4 picture", Pixel, "image/png");
        await PutAsync("kinds", "5 bytes", [.. Enumerable.Range(0, 256).Select(static i => (byte)i)], "application/octet-stream");
        await PutAsync("kinds", "6 empty", [], "application/octet-stream");
        await PutAsync("kinds", "7 large", new string('x', 600_000), "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.At("button", new() { HasText = "kinds" }).ClickAsync();
        await ChooseAsync(page, "1 json");
        await page.HasTextAsync(
            "#payload", "\"big\": 12345678901234567890,\n  \"empty\": {},\n  \"list\": [\n    1,\n    [],\n    \"a\\\"{,b\"\n  ]\n}");
        await ChooseAsync(page, "2 broken json");
        await page.HasTextAsync("#payload", "{\"a\":");
        await ChooseAsync(page, "3 text");
        await page.HasTextAsync("#payload", "für élise 🎹");
        await ChooseAsync(page, "4 picture");
        await page.UntilAsync("document.querySelector('#payload img')?.naturalWidth === 1");
        await ChooseAsync(page, "5 bytes");
        await page.HasTextAsync("#payload", "000040  40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO");
        await page.HasTextAsync("#entry-facts", "256 B");
        await page.PictureAsync("hex-light");
        await ChooseAsync(page, "6 empty");
        await page.HasTextAsync("#payload", "The payload is empty.");
        await ChooseAsync(page, "7 large");
        await page.HasTextAsync("#payload-note", "cut off");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Markup_in_a_key_and_in_a_payload_is_text()
    {
        await PutAsync("hostile", Markup, Markup, "text/html");
        await PutAsync("hostile", "picture", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' "
            + "onload='window.broken=1'><script>window.broken=1</script></svg>", "image/svg+xml");
        await using OpenPage page = await OpenAsync();
        await page.At("button", new() { HasText = "hostile" }).ClickAsync();
        await ChooseAsync(page, Markup);
        await page.HasTextAsync("#payload", Markup);
        await page.HasTextAsync("#entry-key", Markup);
        Assert.Equal(0, await page.At("#keys img, #keys script, #payload script, #payload img, #entry-key :not(bdi)").CountAsync());
        await page.PictureAsync("hostile-light");
        await ChooseAsync(page, "picture");
        await page.UntilAsync("document.querySelector('#payload img')?.naturalWidth === 9");
        Assert.False(await page.Tab.EvaluateAsync<bool>("'broken' in window"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_entry_that_has_gone_is_missed()
    {
        await PutAsync("short", "gone", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        page.Expected.Add("404");
        await page.At("button", new() { HasText = "short" }).ClickAsync();
        await page.HasTextAsync("#keys", "gone");
        using (await Server.Client.DeleteAsync("/v1/tables/short/entries/gone"))
        {
            await ChooseAsync(page, "gone");
            await page.HasTextAsync("#entry-hint", "There is no such entry any more.");
        }
        await page.AssertCleanAsync();
    }

    private static async Task ChooseAsync(OpenPage page, string key)
    {
        await page.UntilAsync("key => [...document.querySelectorAll('#keys li')].some(option => option.textContent === key)", key);
        int place = await page.Tab.EvaluateAsync<int>(
            "key => [...document.querySelectorAll('#keys li')].findIndex(option => option.textContent === key)", key);
        await page.At("#keys li").Nth(place).ClickAsync();
        Assert.Equal(key, await page.At("#keys [aria-selected=true]").TextContentAsync());
    }
}
