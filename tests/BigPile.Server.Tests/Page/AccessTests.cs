using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Page.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page;

/// <summary>The page without a mouse, with a reader of screens, and with eyes that need contrast.</summary>
public sealed class AccessTests(Browser browser) : PageTest(browser)
{
    private const double LeastContrast = 4.5; // WCAG 2.2, success criterion 1.4.3, level AA

    protected override string[] Settings => ["--Server:LoadSample=true"];

    [BrowserFact]
    public async Task Everything_can_be_done_with_the_keyboard()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#table-rows", "packages");
        await page.HasTextAsync("#keys-note", "100 keys so far");
        List<string> stops = await StopsUntilAsync(page, "button.link");
        Assert.Equal(["a.skip", "button#pause", "button#key-button"], stops.Take(3));
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.UntilAsync("document.activeElement.id === 'keys-heading'");
        await page.HasTextAsync("#keys-note", "100 keys so far");
        Assert.Equal(["select#key-table", "input#key-prefix", "button", "ul#keys"], await StopsUntilAsync(page, "ul#keys"));
        await page.Tab.Keyboard.PressAsync("ArrowDown");
        await page.Tab.Keyboard.PressAsync("ArrowDown");
        await page.UntilAsync("document.querySelector('#keys').getAttribute('aria-activedescendant') === 'key-1'");
        string key = await page.At("#key-1").TextContentAsync() ?? "";
        await page.HasTextAsync("#entry-key", key);
        await page.Tab.Keyboard.PressAsync("End");
        await page.HasTextAsync("#entry-key", await page.At("#keys li:last-child").TextContentAsync() ?? "");
        Assert.Equal(["button#more", "button#download", "button#touch", "button#replace", "button#delete", "div#payload"],
            await StopsUntilAsync(page, "div#payload"));
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task An_entry_is_changed_and_deleted_with_the_keyboard_alone()
    {
        await PutAsync("odd", "k", "v", "text/plain");
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys-note", "1 key");
        _ = await StopsUntilAsync(page, "ul#keys");
        await page.Tab.Keyboard.PressAsync("ArrowDown");
        await page.HasTextAsync("#payload", "v");
        _ = await StopsUntilAsync(page, "button#replace");
        await page.Tab.Keyboard.PressAsync("Enter");
        Assert.Equal(["textarea#action-payload"], await StopsUntilAsync(page, "textarea#action-payload"));
        await page.Tab.Keyboard.PressAsync("End");
        await page.Tab.Keyboard.TypeAsync("w");
        _ = await StopsUntilAsync(page, "button#action-do");
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#payload", "vw");
        await page.UntilAsync("document.activeElement.id === 'replace'");
        Assert.Equal(["button#delete"], await StopsUntilAsync(page, "button#delete"));
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.Tab.WaitForSelectorAsync("#action-dialog[open]");
        Assert.Equal("button#action-cancel", await page.FocusAsync()); // who presses Enter twice has changed nothing
        await page.Tab.Keyboard.PressAsync("Tab");
        await page.Tab.Keyboard.PressAsync("Enter");
        await page.HasTextAsync("#entry-hint", "deleted");
        await page.UntilAsync("document.activeElement.id === 'keys'");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task The_focus_can_be_seen_wherever_it_is()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys-note", "100 keys so far");
        var seen = new HashSet<string>();
        for (int i = 0; i < 25; i++)
        {
            await page.Tab.Keyboard.PressAsync("Tab");
            string[] focus = await page.Tab.EvaluateAsync<string[]>(
                "(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName + '#' + e.id, s.outlineStyle, "
                + "s.outlineWidth]; })()");
            if (focus[0] == "BODY#")
                break;
            seen.Add(focus[0]);
            Assert.Equal(("solid", "2px"), (focus[1], focus[2]));
        }
        Assert.InRange(seen.Count, 9, 25);
    }

    [BrowserFact]
    public async Task Every_control_and_picture_has_a_name()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasTextAsync("#keys-note", "100 keys so far");
        string[] nameless = await page.Tab.EvaluateAsync<string[]>("""
            [...document.querySelectorAll('button, input, select, textarea, dialog, a, summary, ' +
                '[role=img], [role=listbox], [role=region], [role=progressbar]')]
                .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length
                    || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent))
                .map(e => e.outerHTML)
            """);
        Assert.Empty(nameless);
        Assert.Empty(await page.Tab.EvaluateAsync<string[]>("[...document.querySelectorAll('img:not([alt])')].map(e => e.outerHTML)"));
        Assert.Empty(await page.Tab.EvaluateAsync<string[]>(
            "[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)"));
        Assert.Equal("en", await page.Tab.EvaluateAsync<string>("document.documentElement.lang"));
        Assert.Equal(1, await page.At("h1").CountAsync());
        Assert.Equal(1, await page.At("main").CountAsync());
        Assert.Empty(await page.Tab.EvaluateAsync<string[]>("[...document.querySelectorAll('th:not([scope])')].map(e => e.outerHTML)"));
    }

    [BrowserTheory]
    [InlineData(ColorScheme.Light)]
    [InlineData(ColorScheme.Dark)]
    public async Task All_texts_have_contrast(ColorScheme scheme)
    {
        await PutAsync("odd", "marked\n", "v", "text/plain");
        OperationStore store = Server.Service<OperationStore>();
        store.Fail(store.TryBegin("flush", null, static () => null, int.MaxValue)!, ProblemCatalog.PileFull);
        store.Complete(store.TryBegin("flush", null, static () => null, int.MaxValue)!, null);
        await using OpenPage page = await OpenAsync(scheme);
        await page.HasTextAsync("#keys-note", "1 key");
        await page.HasTextAsync("#history-rows", "failed");
        await page.At("#keys li").ClickAsync();
        await page.HasTextAsync("#entry-facts", "text/plain");
        await HasContrastAsync(page, 40);
        foreach (string opener in new[] { "#delete", "#put-button", "[data-action=flush]", "[data-action=drop] >> nth=0", "#key-button",
            "[data-path='v1/stats']" })
        {
            await page.At(opener).ClickAsync();
            await HasContrastAsync(page, 40);
            await page.Tab.Keyboard.PressAsync("Escape");
            await page.HasNoDialogAsync();
        }
        page.Expected.Add("400");
        await page.At("#put-button").ClickAsync();
        await page.At("#action-key").FillAsync("k");
        await page.At("#action-ttl").FillAsync("never");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#action-error", "never");
        await HasContrastAsync(page, 40);
        await page.At("#action-ttl").FillAsync("1h");
        await page.At("#action-do").ClickAsync();
        await page.HasTextAsync("#said", "Put an entry");
        await HasContrastAsync(page, 40);
        await page.AssertCleanAsync();
    }

    private static async Task HasContrastAsync(OpenPage page, int least)
    {
        string[] texts = await page.Tab.EvaluateAsync<string[]>("""
            (() => {
                const ground = e => { for (; e; e = e.parentElement) {
                    const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(', 0)')) return c; }
                    return 'rgb(255, 255, 255)'; };
                const shown = [...document.querySelectorAll('body *')]
                    .filter(e => e.checkVisibility() && !e.disabled && !(e instanceof SVGElement)
                    && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
                return [...new Set(shown.map(e => getComputedStyle(e).color + '|' + ground(e) + '|' + e.tagName.toLowerCase()
                    + '.' + e.className + '#' + e.id))];
            })()
            """);
        Assert.InRange(texts.Length, least, 1000);
        Assert.All(texts, text =>
        {
            string[] parts = text.Split('|');
            Assert.True(
                ColorContrast.Between(parts[0], parts[1]) >= LeastContrast, $"{text}: {ColorContrast.Between(parts[0], parts[1]):f2}");
        });
    }

    [BrowserFact]
    public async Task Nothing_moves_who_is_told_once()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        // Live regions are read out when they change: the figures must not be in one.
        Assert.Equal(
            ["action-error", "banner", "document-note", "keys-note", "said", "status", "table-found"],
            (await page.Tab.EvaluateAsync<string[]>(
                "[...document.querySelectorAll('[role=status], [role=alert], [aria-live]')].map(e => e.id)")).Order());
    }

    /// <summary>Presses Tab until a control has the focus, and names all that had it.</summary>
    private static async Task<List<string>> StopsUntilAsync(OpenPage page, string last)
    {
        var stops = new List<string>();
        for (int i = 0; i < 40; i++)
        {
            await page.Tab.Keyboard.PressAsync("Tab");
            string stop = await page.FocusAsync();
            stops.Add(stop);
            if (stop == last)
                return stops;
        }
        throw new InvalidOperationException($"{last} is not among {string.Join(", ", stops)}.");
    }
}
