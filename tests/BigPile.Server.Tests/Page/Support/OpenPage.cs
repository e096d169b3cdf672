using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>The page in its own tab; records everything that a page must not do.</summary>
internal sealed class OpenPage : IAsyncDisposable
{
    private const string RecordViolations =
        "window.violations = []; addEventListener('securitypolicyviolation', e => window.violations.push(e.violatedDirective + ' ' + "
        + "e.blockedURI));";

    private readonly IBrowserContext _context;
    private readonly List<string> _errors = [];
    private readonly List<string> _crossOrigin = [];

    private OpenPage(IBrowserContext context, IPage tab, Uri address)
    {
        _context = context;
        Tab = tab;
        tab.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning")
                _errors.Add(message.Text);
        };
        tab.PageError += (_, error) => _errors.Add(error);
        tab.Request += (_, request) =>
        {
            RequestCount++;
            if (!request.Url.StartsWith(address.ToString(), StringComparison.Ordinal)
                && !request.Url.StartsWith("blob:" + address, StringComparison.Ordinal))
                _crossOrigin.Add(request.Url);
        };
    }

    internal IPage Tab { get; }

    /// <summary>What the page asked for, so far.</summary>
    internal int RequestCount { get; private set; }

    /// <summary>What the tests expect to go wrong, as part of a console message.</summary>
    internal List<string> Expected { get; } = [];

    internal static async Task<OpenPage> AtAsync(
        Browser browser, Uri address, ColorScheme scheme = ColorScheme.Light, int width = 1280, int height = 900, Func<IPage,
        Task>? prepare = null)
    {
        IBrowserContext context = await browser.Get().NewContextAsync(new BrowserNewContextOptions
        {
            ColorScheme = scheme,
            ViewportSize = new ViewportSize { Width = width, Height = height },
            Locale = "en-GB",
        });
        IPage tab = await context.NewPageAsync();
        tab.SetDefaultTimeout(100_000); // the machine may be busy
        var page = new OpenPage(context, tab, address);
        await tab.AddInitScriptAsync(RecordViolations);
        if (prepare != null)
            await prepare(tab);
        await tab.GotoAsync(address.ToString());
        return page;
    }

    internal ILocator At(string selector, PageLocatorOptions? options = null) => Tab.Locator(selector, options);

    /// <summary>Waits for a status.</summary>
    internal Task HasStatusAsync(string state) => Tab.WaitForSelectorAsync($"#status[data-state={state}]");

    internal async Task HasTextAsync(string selector, string text) =>
        await Assertions.Expect(At(selector)).ToContainTextAsync(text, new LocatorAssertionsToContainTextOptions { Timeout = 100_000 });

    /// <summary>Waits until an expression is true. The page's policy forbids what the library's own wait does.</summary>
    internal async Task UntilAsync(string expression, object? argument = null)
    {
        for (int i = 0; i < 2000; i++)
        {
            if (await Tab.EvaluateAsync<bool>(expression, argument))
                return;
            await Tab.WaitForTimeoutAsync(50);
        }
        throw new TimeoutException($"This did not become true in 100 seconds: {expression}");
    }

    /// <summary>What has the focus: the name of its element, and its id if it has one.</summary>
    internal Task<string> FocusAsync() =>
        Tab.EvaluateAsync<string>("(() => { const e = document.activeElement; return e.tagName.toLowerCase() + (e.id ? '#' + e.id : "
            + "e.className ? '.' + e.className : ''); })()");

    /// <summary>Waits until no dialog is open.</summary>
    internal Task HasNoDialogAsync() => UntilAsync("document.querySelector('dialog[open]') === null");

    /// <summary>Waits until the page has been told of some answers more.</summary>
    internal async Task HasAskedAsync(int more)
    {
        int enough = RequestCount + more;
        await Eventually.TrueAsync(async () =>
        {
            await Tab.WaitForTimeoutAsync(50);
            return RequestCount >= enough;
        });
    }

    /// <summary>Writes a picture of the page where <c>BIGPILE_SCREENSHOTS</c> says.</summary>
    internal async Task PictureAsync(string name)
    {
        if (Environment.GetEnvironmentVariable("BIGPILE_SCREENSHOTS") is not { Length: > 0 } directory)
            return;
        await Tab.EvaluateAsync("scrollTo(0, 0)"); // the bar at the top stays there
        await Tab.ScreenshotAsync(new PageScreenshotOptions { Path = Path.Combine(directory, name + ".png"), FullPage = true });
    }

    /// <summary>Checks that nothing went wrong that was not expected, and nothing was asked of another host.</summary>
    internal async Task AssertCleanAsync()
    {
        Assert.Empty(_crossOrigin);
        Assert.Empty(await ViolationsAsync());
        Assert.DoesNotContain(_errors, error => !Expected.Exists(part => error.Contains(part, StringComparison.Ordinal)));
    }

    internal Task<string[]> ViolationsAsync() => Tab.EvaluateAsync<string[]>("window.violations");

    public async ValueTask DisposeAsync() => await _context.DisposeAsync();
}
