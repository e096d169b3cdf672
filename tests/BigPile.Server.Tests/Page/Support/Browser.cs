using System.Threading;
using System.Threading.Tasks;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>One browser for all tests; each of them has a profile of its own.</summary>
/// <remarks>Test classes run in parallel, since a page mostly waits: the first one launches the browser, the last one closes it.</remarks>
public sealed class Browser : IAsyncLifetime
{
    private static readonly SemaphoreSlim LaunchLock = new(1);

    private static int _users;
    private static IPlaywright? _playwright;
    private static IBrowser? _browser;

    internal IBrowser Get() => _browser!;

    public async Task InitializeAsync()
    {
        await LaunchLock.WaitAsync();
        try
        {
            if (_users++ != 0 || Chromium.ExecutablePath == null)
                return;
            _playwright = await Playwright.CreateAsync();
            _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
            {
                ExecutablePath = Chromium.ExecutablePath,
                Headless = true,
                Args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], // containers have no user namespaces
            });
        }
        finally
        {
            LaunchLock.Release();
        }
    }

    public async Task DisposeAsync()
    {
        await LaunchLock.WaitAsync();
        try
        {
            if (--_users != 0 || _browser == null)
                return;
            await _browser.DisposeAsync();
            _playwright!.Dispose();
            _browser = null;
        }
        finally
        {
            LaunchLock.Release();
        }
    }
}
