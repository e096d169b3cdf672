using System;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Page.Support;
using BigPile.Server.Tests.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>The page with keys that may do much, little and nothing.</summary>
public sealed class RightsTests(Browser browser) : PageTest(browser)
{
    private readonly KeySettings _keys = new KeySettings()
        .With("admin", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin)
        .With("reader", KeyScopes.Read)
        .With("orders", KeyScopes.Read | KeyScopes.Write, "orders-*")
        .With("writer", KeyScopes.Write)
        .With("dropper", KeyScopes.Read | KeyScopes.Admin, "orders-*");

    protected override string[] Settings => _keys.Arguments;

    internal override async Task<RunningServer> StartAsync()
    {
        RunningServer server = await base.StartAsync();
        server.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", _keys["admin"]);
        foreach (string table in new[] { "orders-1", "orders-2", "hidden" })
            (await server.PutAsync($"/v1/tables/{table}/entries/k", Encoding.UTF8.GetBytes("value of " + table), "text/plain"))
                .EnsureSuccessStatusCode();
        return server;
    }

    [BrowserFact]
    public async Task The_dialog_that_asks_for_a_key_can_be_left_by_Escape_and_stays_away()
    {
        await using OpenPage page = await OpenAsync();
        page.Expected.Add("401");
        await page.Tab.WaitForSelectorAsync("#key-dialog[open]");
        await page.Tab.Keyboard.PressAsync("Escape");
        await page.HasNoDialogAsync();
        await page.UntilAsync("document.activeElement.id === 'key-button'");
        await page.HasAskedAsync(2);
        Assert.Equal(0, await page.At("dialog[open]").CountAsync());
        await page.HasTextAsync("#banner", "asks for an API key");
        Assert.Equal(0, await page.At("main section:visible").CountAsync()); // no empty boxes
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.Tab.WaitForSelectorAsync("#key-dialog[open]");
        await page.At("#key-cancel").ClickAsync();
        await page.HasNoDialogAsync();
        Assert.Equal("button#key-button", await page.FocusAsync());
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.At("#key-input").FillAsync(_keys["admin"]);
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#table-rows", "hidden");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_key_that_is_refused_is_asked_for_again_once()
    {
        await using OpenPage page = await OpenWithKeyAsync("nobody.secret");
        page.Expected.Add("401");
        await page.HasTextAsync("#banner", "does not take this API key");
        await page.Tab.WaitForSelectorAsync("#key-dialog[open]");
        await page.Tab.Keyboard.PressAsync("Escape");
        await page.HasAskedAsync(2);
        Assert.Equal(0, await page.At("dialog[open]").CountAsync());
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_key_for_reading_sees_everything_and_is_offered_no_change()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["reader"]);
        await page.HasTextAsync("#table-rows", "hidden");
        await page.HasTextAsync("#access-may", "The key “reader” has the scope read, for all tables.");
        await page.HasTextAsync("#access-not", "No changes of entries");
        await page.HasTextAsync("#access-not", "No operations");
        foreach (string visible in new[] { "#memory", "#service", "#tiles", "#documents", "#tables-scroll" })
            Assert.True(await page.At(visible).IsVisibleAsync(), visible);
        await ChooseAsync(page, "orders-1");
        Assert.True(await page.At("#download").IsVisibleAsync());
        foreach (string hidden in new[] { "#operations", "#put-button", "#evict-button", "#touch", "#replace", "#delete",
            "#table-rows .small" })
            Assert.Equal(0, await page.At(hidden + ":visible").CountAsync());
        await page.AssertCleanAsync(); // nothing was asked that is refused
    }

    [BrowserFact]
    public async Task A_key_for_some_tables_sees_these_and_is_told_what_it_does_not_see()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["orders"]);
        await page.HasTextAsync("#table-rows", "orders-2");
        await page.HasStatusAsync("ready");
        Assert.Equal(["orders-1", "orders-2"], await page.At("#table-rows th").AllInnerTextsAsync());
        await page.HasTextAsync("#access-may", "The key “orders” has the scopes read and write, for the tables orders-*.");
        await page.HasTextAsync("#access-not", "No other tables, and no memory, process, latency, connections or metrics");
        await page.HasTextAsync("#tile-entries", "2");
        await page.UntilAsync("document.getElementById('tile-activity').textContent !== '–'"); // rates come with the second poll
        foreach (string hidden in new[] { "#memory", "#service", "#operations", "#documents", "#tile-latency", "#tile-memory",
            "#tile-process" })
            Assert.False(await page.At(hidden).IsVisibleAsync(), hidden);
        await ChooseAsync(page, "orders-2");
        await page.HasTextAsync("#payload", "value of orders-2");
        Assert.Equal(["orders-1", "orders-2"], await page.At("#key-table option").AllInnerTextsAsync());
        Assert.Equal(0, await page.At("[data-action=drop]:visible").CountAsync());
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task The_server_refuses_what_is_beyond_the_key_and_the_dialog_says_so()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["orders"]);
        page.Expected.Add("403");
        await page.HasTextAsync("#table-rows", "orders-2");
        await page.At("#put-button").ClickAsync();
        await page.At("#action-table").FillAsync("hidden");
        await page.At("#action-key").FillAsync("mine");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#action-error", "orders");
        Assert.True(await page.At("#action-dialog").IsVisibleAsync());
        using HttpResponseMessage none = await Server.Client.GetAsync("/v1/tables/hidden/entries/mine");
        Assert.Equal(System.Net.HttpStatusCode.NotFound, none.StatusCode);
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_key_that_may_not_read_is_told_so_and_can_still_write()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["writer"]);
        await page.HasTextAsync("#tables-closed", "no scope to read");
        await page.HasTextAsync("#access-not", "they need the scope read");
        Assert.Equal(["access", "tables"], await page.Tab.EvaluateAsync<string[]>(
            "[...document.querySelectorAll('main section')].filter(s => s.checkVisibility()).map(s => s.id)"));
        await page.At("#put-button").ClickAsync();
        await page.At("#action-table").FillAsync("drop-box");
        await page.At("#action-key").FillAsync("letter");
        await page.At("#action-payload").FillAsync("{}");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Put an entry in the table “drop-box”.");
        Assert.Equal("{}", await Server.Client.GetStringAsync("/v1/tables/drop-box/entries/letter"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_key_that_administrates_some_tables_can_drop_them_and_run_nothing()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["dropper"]);
        await page.HasTextAsync("#table-rows", "orders-2");
        await page.HasTextAsync("#access-not", "No operations on the whole pile");
        Assert.False(await page.At("#operations").IsVisibleAsync());
        await page.At("[aria-label='Drop orders-2']").ClickAsync();
        await page.At("#action-typed").FillAsync("orders-2");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Dropped the table “orders-2”.");
        await page.UntilAsync("document.querySelectorAll('#table-rows tr').length === 1");
        await page.AssertCleanAsync();
    }

    [BrowserTheory]
    [InlineData("v1/stats", "\"pile\": {")]
    [InlineData("v1/memory", "\"segments\": [")]
    [InlineData("metrics", "# TYPE bigpile_")]
    [InlineData("openapi/v1.json", "\"openapi\": \"3.1.0\"")]
    public async Task What_else_the_service_tells_is_fetched_with_the_key(string path, string text)
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["reader"]);
        await page.HasTextAsync("#table-rows", "hidden");
        await page.At($"[data-path='{path}']").ClickAsync();
        await page.HasTextAsync("#document-text", text);
        IDownload file = await page.Tab.RunAndWaitForDownloadAsync(() => page.At("#document-save").ClickAsync());
        Assert.NotEqual("", await System.IO.File.ReadAllTextAsync((await file.PathAsync())!));
        await page.Tab.Keyboard.PressAsync("Escape");
        await page.HasNoDialogAsync();
        Assert.Equal(path, await page.Tab.EvaluateAsync<string>("document.activeElement.dataset.path"));
        Assert.Equal(0, await page.At("a[href]:not(.skip)").CountAsync()); // a link would go without the key
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_value_is_downloaded_with_the_key_as_it_is()
    {
        byte[] value = [.. Enumerable.Range(0, 70_000).Select(static i => (byte)(i * 7))];
        await PutAsync("orders-1", "photos/holiday\n\u202e1", value, "image/png");
        await using OpenPage page = await OpenWithKeyAsync(_keys["orders"]);
        await page.HasTextAsync("#keys", "holiday");
        await page.At("#keys li", new() { HasText = "holiday" }).ClickAsync();
        await page.HasTextAsync("#entry-facts", "image/png");
        IDownload file = await page.Tab.RunAndWaitForDownloadAsync(() => page.At("#download").ClickAsync());
        Assert.Equal("holiday_1.png", file.SuggestedFilename);
        Assert.Equal(value, await System.IO.File.ReadAllBytesAsync((await file.PathAsync())!));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Nothing_of_what_one_key_saw_stays_for_the_next()
    {
        await using OpenPage page = await OpenWithKeyAsync(_keys["admin"]);
        await page.HasTextAsync("#table-rows", "hidden");
        await ChooseAsync(page, "hidden");
        await page.HasTextAsync("#payload", "value of hidden");
        await page.At("#key-button").ClickAsync();
        await page.At("#key-input").FillAsync(_keys["orders"]);
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#access-may", "orders-*");
        await page.HasTextAsync("#keys", "k");
        await page.UntilAsync("document.querySelectorAll('#table-rows tr').length === 2");
        Assert.DoesNotContain("hidden", await page.At("main").InnerTextAsync(), StringComparison.Ordinal);
        await page.AssertCleanAsync();
    }

    private static async Task ChooseAsync(OpenPage page, string table)
    {
        await page.At($"[aria-label='Browse keys of {table}']").ClickAsync();
        await page.HasTextAsync("#keys-note", "1 key");
        await page.At("#keys li").First.ClickAsync();
        await page.HasTextAsync("#entry-facts", "text/plain");
    }
}
