using System;
using System.Net.Http;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Page.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>What the page shows of the service as a whole: figures with their scale, tables in order, operations and answers.</summary>
public sealed class FigureTests(Browser browser) : PageTest(browser)
{
    [BrowserFact]
    public async Task A_chart_says_what_its_height_is()
    {
        await PutAsync("stock", "a", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.UntilAsync("document.querySelectorAll('#tiles .scale:not(:empty)').length === 3");
        Assert.Equal(3, await page.At("#tiles .spark").CountAsync());
        Assert.All(
            await page.At("#tiles .scale").AllInnerTextsAsync(), static text => Assert.Matches("^0 to .*[^ ], (30 s|1 min|2 min)$", text));
        Assert.StartsWith("0 to 100 %, ", await page.At("#tiles .scale").Nth(2).InnerTextAsync(), StringComparison.Ordinal);
        Assert.Contains(
            "the height is 100 %", await page.At("#tiles .spark").Nth(2).GetAttributeAsync("aria-label"), StringComparison.Ordinal);
        await page.UntilAsync("/^0 to [125]0*\\/s, /.test(document.querySelector('#table-rows .scale').textContent)");
        await page.AssertCleanAsync();
    }

    [BrowserTheory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(1.2, 2)]
    [InlineData(2, 2)]
    [InlineData(30, 50)]
    [InlineData(501, 1000)]
    public async Task The_scale_ends_at_a_round_number_that_is_no_lower(double highest, double end)
    {
        await using OpenPage page = await OpenAsync();
        Assert.Equal(
            end, await page.Tab.EvaluateAsync<double>("async value => (await import('/console/chart.js')).roundUp(value)", highest));
    }

    [BrowserTheory]
    [InlineData(1, "1 object", "1 entry")]
    [InlineData(0.999, "1.0 objects", "1.0 entries")]
    [InlineData(2, "2 objects", "2 entries")]
    [InlineData(1_000_000, "1.00 M objects", "1.00 M entries")]
    public async Task A_noun_goes_by_the_number_before_it(double number, string objects, string entries)
    {
        await using OpenPage page = await OpenAsync();
        Assert.Equal([objects, entries], await page.Tab.EvaluateAsync<string[]>("""
            async value => {
              const { counted, short } = await import('/console/format.js');
              return [counted(value, 'object', 'objects', short), counted(value, 'entry', 'entries', short)];
            }
            """, number));
    }

    [BrowserFact]
    public async Task One_table_with_one_entry_is_told_of_as_one()
    {
        await PutAsync("stock", "a", "v", "text/plain");
        using (await Server.Client.GetAsync("/v1/tables/stock/entries/a"))
        {
            await using OpenPage page = await OpenAsync();
            await page.HasTextAsync(".tile:has(#tile-entries) .note", "1 table, 1 object in the pile");
            await page.HasTextAsync("#tables-note", ", its index included");
            await page.HasTextAsync(".tile:has(#tile-hits) .note", "since the start, 1 read");
            await page.UntilAsync("document.querySelector('#table-rows [title=\"1 hit, 0 misses\"]') !== null");
            await page.UntilAsync("document.querySelector('#table-rows [title^=\"1 put, 0 removals\"]') !== null");
            await page.HasTextAsync("#memory-note", "1 segment of");
            await page.AssertCleanAsync();
        }
    }

    [BrowserFact]
    public async Task Operations_are_one_thing_and_resident_memory_is_the_large_figure()
    {
        await using OpenPage page = await OpenAsync(prepare: static tab => tab.RouteAsync("**/v1/stats", static async route =>
        {
            IAPIResponse answer = await route.FetchAsync();
            JsonNode stats = JsonNode.Parse(await answer.BodyAsync())!;
            stats["process"]!["workingSetBytes"] = 300L << 20;
            stats["process"]!["managedBytes"] = 7L << 20;
            await route.FulfillAsync(new() { Response = answer, Body = stats.ToJsonString() });
        }));
        await page.HasStatusAsync("ready");
        string[] named = await page.Tab.EvaluateAsync<string[]>(
            "[...document.querySelectorAll('h2, h3, th')].filter(e => /operation/i.test(e.textContent)).map(e => e.textContent.trim())");
        Assert.Equal(["Operations", "Operation"], named); // the panel, and the column within it
        Assert.Equal("Resident memory", await page.At(".tile:has(#tile-process) h2").InnerTextAsync());
        Assert.Equal("300 MiB", await page.At("#tile-process").InnerTextAsync());
        await page.HasTextAsync(".tile:has(#tile-process) .note", "managed heap 7.00 MiB");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Connections_and_answers_by_status_are_shown()
    {
        await PutAsync("stock", "a", "v", "text/plain");
        using (await Server.Client.GetAsync("/v1/tables/stock/entries/none"))
        {
            await using OpenPage page = await OpenAsync();
            await page.HasTextAsync("#connections", "Connections open");
            await page.HasTextAsync("#connections", "Requests running");
            await page.HasTextAsync("#status-rows", "201 Created");
            await page.HasTextAsync("#status-rows", "404 Not found");
            await page.UntilAsync("Number(document.querySelector('#connections .value').textContent) >= 2");
            await page.UntilAsync("document.querySelector('#status-rows td:last-child').textContent !== '–'");
            await page.AssertCleanAsync();
        }
    }

    [BrowserFact]
    public async Task Operations_that_ended_and_failed_are_shown_with_what_came_of_them()
    {
        OperationStore store = Server.Service<OperationStore>();
        Operation failing = store.TryBegin("flush", null, static () => null, int.MaxValue)!;
        store.Fail(failing, ProblemCatalog.PileFull with { Detail = "The disk is full." });
        Operation running = null!;
        running = store.TryBegin(
            "load", "stock", static () => new JsonObject { ["records"] = 5 }, int.MaxValue, () => store.Cancel(running))!;
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#history-rows", "The disk is full.");
        Assert.Equal(["failed"], await page.At("#history-rows .state").AllInnerTextsAsync());
        await page.HasTextAsync("#operations-body .figure", "5 records");
        await page.At("[aria-label='Stop load stock']").ClickAsync();
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#history-rows", "cancelled");
        await page.HasTextAsync("#operations-note", "none runs");
        using HttpResponseMessage begun = await Server.Client.PostAsync("/v1/admin:verify", null);
        await page.HasTextAsync("#history-rows", "sound");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Tables_can_be_searched_and_put_in_order()
    {
        foreach ((string table, int entries) in new[] { ("apples", 3), ("berries", 1), ("cherries", 2), ("pears", 4) })
        {
            for (int i = 0; i < entries; i++)
                await PutAsync(table, $"k{i}", "v", "text/plain");
        }
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#table-rows", "pears");
        Assert.Equal(["apples", "berries", "cherries", "pears"], await NamesAsync(page));
        Assert.Equal("ascending", await page.At("#table-columns th").First.GetAttributeAsync("aria-sort"));
        await page.At("button.sort", new() { HasText = "Entries" }).FocusAsync();
        await page.Tab.Keyboard.PressAsync("Enter");
        Assert.Equal(["pears", "apples", "cherries", "berries"], await NamesAsync(page));
        Assert.Equal(["descending"], await page.Tab.EvaluateAsync<string[]>(
            "[...document.querySelectorAll('[aria-sort]')].map(e => e.getAttribute('aria-sort'))"));
        await page.Tab.Keyboard.PressAsync("Enter");
        Assert.Equal(["berries", "cherries", "apples", "pears"], await NamesAsync(page));
        Assert.Equal("button.sort", await page.FocusAsync());
        await page.At("#table-search").FillAsync("ERR");
        Assert.Equal(["berries", "cherries"], await NamesAsync(page));
        await page.HasTextAsync("#table-found", "2 of 4 found");
        await page.HasAskedAsync(2);
        Assert.Equal(["berries", "cherries"], await NamesAsync(page)); // also after the next poll
        await page.At("#table-search").FillAsync("");
        Assert.Equal(4, (await NamesAsync(page)).Count);
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_row_that_has_the_focus_stays_where_it_is()
    {
        await PutAsync("apples", "k", "v", "text/plain");
        await PutAsync("pears", "k", "v", "text/plain");
        await PutAsync("pears", "l", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#table-rows", "pears");
        await page.At("button.sort", new() { HasText = "Entries" }).ClickAsync();
        Assert.Equal(["pears", "apples"], await NamesAsync(page));
        await page.At("[aria-label='Drop apples']").FocusAsync();
        for (int i = 0; i < 5; i++)
            await PutAsync("apples", $"k{i}", "v", "text/plain");
        await page.UntilAsync("document.querySelector('#table-rows tr:last-child td').textContent === '6'");
        Assert.Equal(["pears", "apples"], await NamesAsync(page));
        Assert.Equal("Drop apples", await page.Tab.EvaluateAsync<string>("document.activeElement.getAttribute('aria-label')"));
        await page.At("#table-search").FocusAsync();
        await page.UntilAsync("document.querySelector('#table-rows th').textContent === 'apples'");
        await page.AssertCleanAsync();
    }

    private static Task<System.Collections.Generic.IReadOnlyList<string>> NamesAsync(OpenPage page) =>
        page.At("#table-rows th").AllInnerTextsAsync();
}
