using System;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Microsoft.Playwright;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>A test with its own server, and a browser that shows its page.</summary>
public abstract class PageTest(Browser browser) : IClassFixture<Browser>, IAsyncLifetime
{
    private readonly TemporaryDirectory _directory = new();

    internal RunningServer Server { get; private set; } = null!;

    internal Browser Browser => browser;

    internal string Directory => _directory.Pile;

    /// <summary>Settings beside the usual ones.</summary>
    protected virtual string[] Settings => [];

    public virtual async Task InitializeAsync() => Server = await StartAsync();

    public virtual async Task DisposeAsync()
    {
        await Server.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>Starts the server of the test.</summary>
    internal virtual Task<RunningServer> StartAsync() => RunningServer.StartAsync(Directory, Settings);

    /// <summary>Starts another server in the place of the first one.</summary>
    internal void Replace(RunningServer other) => Server = other;

    internal Task<OpenPage> OpenAsync(
        ColorScheme scheme = ColorScheme.Light, int width = 1280, int height = 900, Func<IPage, Task>? prepare = null) =>
        OpenPage.AtAsync(browser, Server.Address, scheme, width, height, prepare);

    /// <summary>Opens the page in a tab that has a key already.</summary>
    internal Task<OpenPage> OpenWithKeyAsync(string credential, ColorScheme scheme = ColorScheme.Light, int width = 1280) =>
        OpenAsync(scheme, width, prepare: tab => tab.AddInitScriptAsync($"sessionStorage.setItem('bigpile-api-key', '{credential}');"));

    internal async Task PutAsync(string table, string key, byte[] body, string contentType)
    {
        using HttpResponseMessage response =
            await Server.PutAsync($"/v1/tables/{table}/entries/{Uri.EscapeDataString(key)}", body, contentType);
        response.EnsureSuccessStatusCode();
    }

    internal Task PutAsync(string table, string key, string body, string contentType) =>
        PutAsync(table, key, Encoding.UTF8.GetBytes(body), contentType);
}
