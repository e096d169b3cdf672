using System.Threading.Tasks;
using Microsoft.Playwright;

namespace BigPile.Page.Tests.Support;

/// <summary>One browser for all tests; each of them has a profile of its own.</summary>
public sealed class Browser : IAsyncLifetime
{
    private IPlaywright? _playwright;
    private IBrowser? _browser;

    internal IBrowser Get() => _browser!;

    public async Task InitializeAsync()
    {
        if (Chromium.ExecutablePath == null)
            return;
        _playwright = await Playwright.CreateAsync();
        _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = Chromium.ExecutablePath,
            Headless = true,
            Args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], // containers have no user namespaces
        });
    }

    public async Task DisposeAsync()
    {
        if (_browser != null)
            await _browser.DisposeAsync();
        _playwright?.Dispose();
    }
}
