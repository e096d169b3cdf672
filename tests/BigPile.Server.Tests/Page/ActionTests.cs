using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Page.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>What the page lets its user change, each with a question before.</summary>
public sealed class ActionTests(Browser browser) : PageTest(browser)
{
    private CacheTable<string, byte[]> Table => Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("stock");

    [BrowserFact]
    public async Task A_dialog_can_be_left_by_Escape_and_gives_the_focus_back()
    {
        string[] openers =
        [
            "#put-button", "#evict-button", "#table-rows [data-action=evict]", "#table-rows [data-action=drop]", "[data-action=flush]",
            "[data-action=compact]", "[data-action=verify]", "#touch", "#replace", "#delete", "#key-button", "[data-path='v1/stats']",
        ];
        await PutAsync("stock", "a", "v", "text/plain");
        await using OpenPage page = await OpenEntryAsync("a");
        await page.HasTextAsync("#operations-note", "none since the start");
        foreach (string opener in openers)
        {
            await page.At(opener).FocusAsync();
            await page.Tab.Keyboard.PressAsync("Enter");
            await page.Tab.WaitForSelectorAsync("dialog[open]");
            Assert.True(await page.Tab.EvaluateAsync<bool>("document.querySelector('dialog[open]').contains(document.activeElement)"));
            Assert.NotEqual("", await page.Tab.EvaluateAsync<string>(
                "document.getElementById(document.querySelector('dialog[open]').getAttribute('aria-labelledby')).textContent"));
            await page.Tab.Keyboard.PressAsync("Escape");
            await page.HasNoDialogAsync();
            Assert.True(await page.Tab.EvaluateAsync<bool>("selector => document.activeElement.matches(selector)", opener), opener);
        }
        Assert.Empty(Server.Service<OperationStore>().All);
        Assert.True(Table.ContainsKey("a"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_entry_is_put_with_what_was_filled_in_and_is_shown()
    {
        await PutAsync("stock", "other", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys", "other");
        await page.At("#put-button").ClickAsync();
        await FillAsync(page, ("key", "new"), ("type", "text/plain; charset=utf-8"), ("payload", "für élise"), ("ttl", "2h"),
            ("sliding", "30m"), ("tags", "été, shop"));
        await page.At("#action-priority").SelectOptionAsync("high");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Put an entry in the table “stock”.");
        await page.HasTextAsync("#payload", "für élise");
        await page.HasTextAsync("#entry-facts", "2, as hashes");
        await page.HasTextAsync("#entry-facts", "high");
        await page.HasTextAsync("#entry-facts", "1,800 s");
        Assert.Equal("button#put-button", await page.FocusAsync());
        Table.RemoveByTag("été");
        Assert.False(Table.ContainsKey("new"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_entry_that_is_there_is_not_replaced_unawares()
    {
        await PutAsync("stock", "a", "old", "text/plain");
        await using OpenPage page = await OpenEntryAsync("a");
        page.Expected.Add("412");
        await page.At("#put-button").ClickAsync();
        await FillAsync(page, ("key", "a"), ("payload", "new"));
        await page.Tab.Keyboard.PressAsync("Escape");
        await page.HasNoDialogAsync();
        Assert.Equal("old", await ReadAsync("a"));
        await page.At("#put-button").ClickAsync();
        Assert.Equal("", await page.At("#action-payload").InputValueAsync());
        await FillAsync(page, ("key", "a"), ("payload", "new"));
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#action-error", "There is an entry with this key.");
        Assert.Equal("old", await ReadAsync("a"));
        await page.At("#action-isReplaced").CheckAsync();
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Replaced an entry");
        Assert.Equal("new", await ReadAsync("a"));
        await page.AssertCleanAsync();
    }

    [BrowserTheory]
    [InlineData("#replace")]
    [InlineData("#touch")]
    [InlineData("#delete")]
    public async Task What_was_changed_since_it_was_shown_is_left_alone(string action)
    {
        await PutAsync("stock", "a", "shown", "text/plain");
        await using OpenPage page = await OpenEntryAsync("a");
        page.Expected.Add("412");
        await PutAsync("stock", "a", "younger", "text/plain");
        await page.At(action).ClickAsync();
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#action-error", "changed since it was shown");
        Assert.Equal("younger", await ReadAsync("a"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_entry_is_replaced_touched_and_deleted()
    {
        await PutAsync("stock", "a", "one", "text/plain");
        await using OpenPage page = await OpenEntryAsync("a");
        await page.At("#replace").ClickAsync();
        Assert.Equal("one", await page.At("#action-payload").InputValueAsync());
        await FillAsync(page, ("payload", "two"), ("ttl", "1h"));
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#payload", "two");
        await page.HasTextAsync("#entry-facts", "Gone at the latest");
        Assert.True(Table.TryGetEntry("a", out TableEntry<string> replaced));
        await page.At("#touch").ClickAsync();
        await FillAsync(page, ("ttl", "2h"));
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Touched an entry");
        await page.At("#keys-panel").ScrollIntoViewIfNeededAsync();
        await Assertions.Expect(page.At("#said")).ToBeInViewportAsync(); // wherever the page is scrolled to
        Assert.True(Table.TryGetEntry("a", out TableEntry<string> touched));
        Assert.True(touched.ExpiresAt >= replaced.ExpiresAt + TimeSpan.FromHours(1));
        await page.UntilAsync(
            "tag => document.querySelector('#entry-facts').textContent.includes(tag)", EntityTag.Of(touched.Info.Version));
        await page.At("#delete").ClickAsync();
        await page.PictureAsync("delete-light");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#entry-hint", "deleted");
        Assert.False(Table.ContainsKey("a"));
        Assert.Equal(0, await page.At("#keys li").CountAsync());
        await page.HasNoDialogAsync();
        await page.UntilAsync("document.activeElement.id === 'keys'"); // what had it is gone
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Entries_are_evicted_by_tag()
    {
        await PutAsync("stock", "stays", "v", "text/plain");
        using (HttpResponseMessage put = await Server.SendAsync("PUT", "/v1/tables/stock/entries/goes", [1], ("BigPile-Tags", "red")))
            put.EnsureSuccessStatusCode();
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys", "goes");
        await page.At("#table-rows [data-action=evict]").ClickAsync();
        Assert.Equal("stock", await page.At("#action-table").InputValueAsync());
        await FillAsync(page, ("tags", "blue, red"));
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Evicted from the table “stock” all entries with one of the tags “blue”, “red”.");
        await page.UntilAsync("document.querySelectorAll('#keys li').length === 1");
        Assert.Equal((true, false), (Table.ContainsKey("stays"), Table.ContainsKey("goes")));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_table_is_dropped_when_its_name_was_typed()
    {
        await PutAsync("stock", "a", "v", "text/plain");
        await PutAsync("other", "a", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#table-rows", "stock");
        await page.At("[aria-label='Drop stock']").ClickAsync();
        Assert.True(await page.At("#action-do").IsDisabledAsync());
        await page.At("#action-typed").FillAsync("stoc");
        await page.Tab.Keyboard.PressAsync("Enter");
        Assert.True(await page.At("#action-do").IsDisabledAsync());
        Assert.Contains("stock", Server.Service<PileCache>().TableNames);
        await page.At("#action-typed").FillAsync("stock");
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#said", "Dropped the table “stock”.");
        await page.UntilAsync("document.querySelectorAll('#table-rows tr').length === 1");
        await page.UntilAsync("document.querySelector('#key-table').value === 'other'");
        using HttpResponseMessage gone = await Server.Client.GetAsync("/v1/tables/stock");
        Assert.Equal(HttpStatusCode.NotFound, gone.StatusCode);
        await page.AssertCleanAsync();
    }

    [BrowserTheory]
    [InlineData("flush")]
    [InlineData("compact")]
    [InlineData("verify")]
    public async Task An_operation_is_begun_and_comes_to_its_end(string kind)
    {
        await PutAsync("stock", "a", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#operations-note", "none since the start");
        await page.At($"[data-action={kind}]").ClickAsync();
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", $"The operation {kind} has begun.");
        await page.HasTextAsync("#history-rows", "done");
        Assert.Equal([kind], Server.Service<OperationStore>().All.Select(static operation => operation.Kind));
        await page.AssertCleanAsync();
    }

    private static async Task FillAsync(OpenPage page, params (string Name, string Value)[] fields)
    {
        foreach ((string name, string value) in fields)
            await page.At("#action-" + name).FillAsync(value);
    }

    private Task<string> ReadAsync(string key) => Server.Client.GetStringAsync($"/v1/tables/stock/entries/{Uri.EscapeDataString(key)}");

    private async Task<OpenPage> OpenEntryAsync(string key)
    {
        OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys", key);
        await page.At("#keys li").First.ClickAsync();
        await page.HasTextAsync("#entry-facts", "text/plain");
        return page;
    }
}
