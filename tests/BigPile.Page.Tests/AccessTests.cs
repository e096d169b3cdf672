using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Page.Tests.Support;
using Microsoft.Playwright;

namespace BigPile.Page.Tests;

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
        Assert.Equal(["button#more", "div#payload"], await StopsUntilAsync(page, "div#payload"));
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
                "(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName + '#' + e.id, s.outlineStyle, s.outlineWidth]; })()");
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
            [...document.querySelectorAll('button, input, select, a, summary, [role=img], [role=listbox], [role=region], [role=progressbar]')]
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
        await using OpenPage page = await OpenAsync(scheme);
        await page.HasTextAsync("#keys-note", "100 keys so far");
        await page.At("#key-3").ClickAsync();
        await page.HasTextAsync("#entry-facts", "application/json");
        string[] texts = await page.Tab.EvaluateAsync<string[]>("""
            (() => {
                const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(', 0)')) return c; } return 'rgb(255, 255, 255)'; };
                const shown = [...document.querySelectorAll('body *')].filter(e => e.offsetParent && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
                return [...new Set(shown.map(e => getComputedStyle(e).color + '|' + ground(e) + '|' + e.tagName.toLowerCase() + '.' + e.className + '#' + e.id))];
            })()
            """);
        Assert.InRange(texts.Length, 15, 1000);
        Assert.All(texts, text =>
        {
            string[] parts = text.Split('|');
            Assert.True(ColorContrast.Between(parts[0], parts[1]) >= LeastContrast, $"{text}: {ColorContrast.Between(parts[0], parts[1]):f2}");
        });
    }

    [BrowserFact]
    public async Task Nothing_moves_who_is_told_once()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        // Live regions are read out when they change: the figures must not be in one.
        Assert.Equal(
            ["banner", "keys-note", "status"],
            (await page.Tab.EvaluateAsync<string[]>("[...document.querySelectorAll('[role=status], [role=alert], [aria-live]')].map(e => e.id)")).Order());
    }

    /// <summary>Presses Tab until a control has the focus, and names all that had it.</summary>
    private static async Task<List<string>> StopsUntilAsync(OpenPage page, string last)
    {
        var stops = new List<string>();
        for (int i = 0; i < 20; i++)
        {
            await page.Tab.Keyboard.PressAsync("Tab");
            string stop = await page.Tab.EvaluateAsync<string>(
                "(() => { const e = document.activeElement; return e.tagName.toLowerCase() + (e.id ? '#' + e.id : e.className ? '.' + e.className : ''); })()");
            stops.Add(stop);
            if (stop == last)
                return stops;
        }
        throw new InvalidOperationException($"{last} is not among {string.Join(", ", stops)}.");
    }
}
