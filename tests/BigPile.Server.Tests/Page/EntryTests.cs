using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Page.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>Entries with keys of every kind, and with all that they can be put with.</summary>
public sealed class EntryTests(Browser browser) : PageTest(browser)
{
    private static readonly string Long = new('k', 1024);

    private CacheTable<string, byte[]> Table => Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("odd");

    [BrowserTheory]
    [InlineData(ColorScheme.Light, 1280)]
    [InlineData(ColorScheme.Dark, 375)]
    public async Task A_key_of_any_length_and_any_letters_keeps_to_its_line(ColorScheme scheme, int width)
    {
        string[] keys = [Long, "one\ntwo\r\n\tthree", "\u202egnp.exe\u202c.txt", "שלום 123", " spaces ", "a\u200bb\u00a0c", "plain"];
        foreach (string key in keys)
            await PutAsync("odd", key, "value", "text/plain");
        await using OpenPage page = await OpenAsync(scheme, width);
        await page.HasTextAsync("#keys-note", $"{keys.Length} keys");
        Assert.Equal(0, await page.Tab.EvaluateAsync<int>("Math.max(0, document.documentElement.scrollWidth - innerWidth)"));
        int[] heights = await page.Tab.EvaluateAsync<int[]>(
            "[...document.querySelectorAll('#keys li')].map(li => Math.round(li.getBoundingClientRect().height))");
        Assert.All(heights, static height => Assert.InRange(height, 15, 70));
        Assert.True(await page.Tab.EvaluateAsync<bool>(
            "(() => { const box = document.getElementById('keys'); return box.scrollWidth <= box.clientWidth; })()"));
        await AssertDisplayedAsync(page, Long, new string('k', 44) + "…" + new string('k', 24), Long);
        await AssertDisplayedAsync(page, keys[1], "oneLFtwoCRLFTABthree");
        await AssertDisplayedAsync(page, keys[2], "RLOgnp.exePDF.txt");
        await AssertDisplayedAsync(page, keys[3], keys[3]);
        await AssertDisplayedAsync(page, keys[4], "SPACEspacesSPACE");
        await AssertDisplayedAsync(page, keys[5], "aU+200BbU+00A0c");
        await page.PictureAsync("odd-" + width);
        Assert.Equal(0, await page.Tab.EvaluateAsync<int>("Math.max(0, document.documentElement.scrollWidth - innerWidth)"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_odd_key_is_the_very_key_that_is_deleted()
    {
        const string Odd = "one\ntwo\u202e:touch/50%";
        await PutAsync("odd", Odd, "value", "text/plain");
        await PutAsync("odd", "oneLFtwo", "value", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys-note", "2 keys");
        await page.At("#keys li:has(.mark)").ClickAsync();
        await page.HasTextAsync("#payload", "value");
        await page.At("#touch").ClickAsync();
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Touched");
        await page.HasNoDialogAsync();
        await page.UntilAsync("document.querySelector('#payload').textContent === 'value'");
        await page.At("#delete").ClickAsync();
        await page.HasTextAsync("#action-subject", "oneLFtwoRLO:touch/50%");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#entry-hint", "deleted");
        Assert.Equal(["oneLFtwo"], Table.Keys);
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Tags_priority_and_lifetime_are_shown()
    {
        using (HttpResponseMessage put = await Server.SendAsync(
            "PUT", "/v1/tables/odd/entries/k", [1], ("BigPile-Tags", "a, b, c"), ("BigPile-Priority", "never-evict"),
            ("BigPile-Sliding", "30m"), ("BigPile-Ttl", "12h")))
            put.EnsureSuccessStatusCode();
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys", "k");
        await page.At("#keys li").ClickAsync();
        await page.HasTextAsync("#entry-facts", "never-evict");
        await page.HasTextAsync("#entry-facts", "3, as hashes: ");
        await page.HasTextAsync("#entry-facts", "Each use gives");
        await page.HasTextAsync("#entry-facts", "Gone at the latest");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_look_from_the_page_is_no_use_of_the_entry()
    {
        using (HttpResponseMessage put = await Server.SendAsync("PUT", "/v1/tables/odd/entries/k", [1], ("BigPile-Sliding", "1h")))
            put.EnsureSuccessStatusCode();
        Assert.True(Table.TryGetEntry("k", out TableEntry<string> before));
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys", "k");
        await page.At("#keys li").ClickAsync();
        await page.HasTextAsync("#entry-facts", "application/octet-stream");
        AssertUnused();
        _ = await page.Tab.RunAndWaitForDownloadAsync(() => page.At("#download").ClickAsync());
        AssertUnused();
        await page.AssertCleanAsync();

        void AssertUnused()
        {
            TableStatistics statistics = Server.Service<PileCache>().GetStatistics("odd");
            Assert.Equal((0, 0), (statistics.Hits, statistics.Misses));
            Assert.True(Table.TryGetEntry("k", out TableEntry<string> after));
            Assert.Equal(before.ExpiresAt, after.ExpiresAt);
        }
    }

    private static async Task AssertDisplayedAsync(OpenPage page, string key, string inList, string? inHead = null)
    {
        int place = await page.Tab.EvaluateAsync<int>(
            "key => [...document.querySelectorAll('#keys li')].findIndex(option => option.dataset.entryKey === key)", key);
        Assert.Equal(inList, await page.At("#keys li").Nth(place).TextContentAsync());
        await page.At("#keys li").Nth(place).ClickAsync();
        await page.UntilAsync("text => document.querySelector('#entry-key').textContent === text", inHead ?? inList);
        await page.HasTextAsync("#payload", "value");
    }
}
