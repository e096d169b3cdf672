using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching.Tests;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Tests.Security;

/// <summary>Keys that change while the server runs.</summary>
public sealed class KeyReloadTests : IDisposable
{
    private const string Entry = "/v1/tables/t/entries/k";

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private readonly KeptLog _lines = new(LogLevel.Information, "BigPile.");
    private readonly BigPileKey _first;
    private readonly BigPileKey _second;
    private readonly string _firstCredential;
    private readonly string _secondCredential;

    public KeyReloadTests()
    {
        _first = BigPileKey.Create("first", KeyScopes.Read | KeyScopes.Write, out _firstCredential);
        _second = BigPileKey.Create("second", KeyScopes.Read, out _secondCredential);
    }

    public void Dispose()
    {
        _lines.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task Keys_come_and_go_with_the_file_at_both_doors()
    {
        WriteKeys(_first);
        await using RunningServer server = await StartAsync();
        Assert.Equal("201 200 200 401", await TryAllAsync(server));
        WriteKeys(_first with { Scopes = KeyScopes.Read }, _second);
        _time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal("204 200 200 401", await TryAllAsync(server));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal("403 200 200 200", await TryAllAsync(server));
        WriteKeys(_second);
        _time.Advance(TimeSpan.FromSeconds(60));
        Assert.Equal("401 401 401 200", await TryAllAsync(server));
        Assert.Equal(
            ["The keys are now first, second", "The keys are now second"],
            _lines.Lines.Where(static line => line.StartsWith("The keys", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("{}", "There are no keys any more")]
    [InlineData("half", "Could not parse the JSON file")]
    [InlineData("""{"Security":{"Keys":[{"Name":"first","Hash":"x","Scopes":"read"}]}}""", "The hash of the key 'first' is not one")]
    [InlineData(null, "There are no keys any more")]
    [InlineData("""{"Security":{"Keys":[{"Name":"first","Hash":"HASH","Scopes":"read","Tables":[["t"]]}]}}""", "must be one value")]
    [InlineData("""{"Security":{"Keys":[{"Name":"first","Hash":"HASH","Scopes":"read","Tables":[]}]}}""", "reaches no table")]
    [InlineData("""{"Security":{"Keys":[{"Name":"first","Hash":"HASH","Scopes":"read","RequestsPerSecond":[1]}]}}""", "must be one value")]
    public async Task Keys_that_are_wrong_leave_the_old_ones_and_are_told_once(string? text, string complaint)
    {
        WriteKeys(_first);
        await using RunningServer server = await StartAsync();
        if (text == null)
            File.Delete(KeysPath);
        else
            File.WriteAllText(KeysPath, text.Replace("HASH", _first.Hash, StringComparison.Ordinal));
        for (int i = 0; i < 3; i++)
            _time.Advance(TimeSpan.FromSeconds(60));
        Assert.Equal("201 200 200 401", await TryAllAsync(server));
        Assert.Contains(complaint, Assert.Single(_lines.Lines, static line => line.StartsWith("The keys", StringComparison.Ordinal)),
            StringComparison.Ordinal);
        WriteKeys(_second);
        _time.Advance(TimeSpan.FromSeconds(60));
        Assert.Equal("401 401 401 200", await TryAllAsync(server));
    }

    [Fact]
    public async Task A_key_that_stays_has_the_permits_that_it_had()
    {
        BigPileKey limited = _first with { RequestsPerSecond = 0.001, Burst = 1 };
        WriteKeys(limited);
        await using RunningServer server = await StartAsync();
        Assert.Equal(201, await SendAsync(server, HttpMethod.Put, _firstCredential));
        WriteKeys(limited, _second);
        server.Service<KeyReload>().ReloadIfChanged();
        Assert.Equal(429, await SendAsync(server, HttpMethod.Put, _firstCredential));
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("{\"Security\":{\"Keys\":[]}}")]
    [InlineData("{\"Keys\":[{\"Name\":\"first\"}]}")]
    public async Task A_file_without_keys_opens_nothing(string text)
    {
        File.WriteAllText(KeysPath, text);
        SettingsException none = await Assert.ThrowsAsync<SettingsException>(() => StartAsync());
        Assert.Contains("has no keys in 'Security:Keys'", none.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_hidden_file_of_keys_is_read_too_and_a_link_that_leads_elsewhere_is_followed()
    {
        WriteKeys(_first);
        string hidden = Path.Combine(_directory.Path, ".keys.json");
        File.Move(KeysPath, hidden);
        File.CreateSymbolicLink(KeysPath, hidden); // as a mounted secret is
        await using RunningServer server = await StartAsync();
        Assert.Equal("201 200 200 401", await TryAllAsync(server));
        WriteKeys(_second);
        string other = Path.Combine(_directory.Path, "..data.json");
        File.Move(hidden, other);
        File.Delete(KeysPath);
        File.CreateSymbolicLink(KeysPath, other);
        _time.Advance(TimeSpan.FromSeconds(60));
        Assert.Equal("401 401 401 200", await TryAllAsync(server));
        await server.DisposeAsync();
        await using RunningServer direct = await RunningServer.StartAsync(_directory.Pile, "--Security:KeysPath=" + other);
        Assert.Equal("401 401 401 200", await TryAllAsync(direct));
    }

    [Fact]
    public async Task A_file_of_keys_is_not_mixed_with_others()
    {
        WriteKeys(_first);
        SettingsException both = await Assert.ThrowsAsync<SettingsException>(
            () => StartAsync(new KeySettings().With("other", KeyScopes.Read).Arguments));
        Assert.Contains("leave them in one place", both.Message, StringComparison.Ordinal);
        File.Delete(KeysPath);
        SettingsException none = await Assert.ThrowsAsync<SettingsException>(() => StartAsync());
        Assert.Contains("'Security:KeysPath'", none.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Refusals_are_logged_with_address_key_and_reason_and_counted()
    {
        WriteKeys(_first with { Tables = ["t"] }, _second);
        await using (RunningServer server = await StartAsync("--Metrics:Enabled=true"))
        {
            Assert.Equal(201, await SendAsync(server, HttpMethod.Put, _firstCredential));
            Assert.Equal(403, await SendAsync(server, HttpMethod.Put, _secondCredential));
            string other = Entry.Replace("/t/", "/u/", StringComparison.Ordinal);
            Assert.Equal(403, await SendAsync(server, HttpMethod.Get, _firstCredential, other));
            Assert.Equal(401, await SendAsync(server, HttpMethod.Get, "first.wrong"));
            Assert.Equal(401, await SendAsync(server, HttpMethod.Get, "guessed.wrong"));
            Assert.Equal(401, await SendAsync(server, HttpMethod.Get, null));
            await Eventually.TrueAsync(() => Refused().Length == 5); // a refusal is counted behind its answer
            string metrics = await ReadAsync(server, "/metrics", _secondCredential);
            Assert.Equal("1", CountOf(metrics, "first", 403));
            Assert.Equal("3", CountOf(metrics, "", 401));
        }
        Assert.Equal(
            [
                "PUT /v1/tables/t/entries/k from 127.0.0.1 by second was refused with 403: The request needs the scope 'write', which the "
                + "key 'second' does not have.",
                "GET /v1/tables/u/entries/k from 127.0.0.1 by first was refused with 403: The key 'first' is for other tables.",
                "GET /v1/tables/t/entries/k from 127.0.0.1 by first was refused with 401: There is no such API key.",
                "GET /v1/tables/t/entries/k from 127.0.0.1 by nobody known was refused with 401: There is no such API key.",
                "GET /v1/tables/t/entries/k from 127.0.0.1 by nobody known was refused with 401: The service asks for an API key.",
            ],
            Refused());
    }

    [Fact]
    public async Task Who_guesses_neither_fills_the_log_nor_hides_what_others_do()
    {
        WriteKeys(_first, _second);
        await using (RunningServer server = await StartAsync())
        {
            for (int i = 0; i < 100; i++)
                Assert.Equal(401, await SendAsync(server, HttpMethod.Get, i % 2 == 0 ? $"guess{i}.wrong" : "second.wrong"));
            Assert.Equal(403, await SendAsync(server, HttpMethod.Put, _secondCredential));
            await Eventually.TrueAsync(() => Refused().Length >= 11); // a line comes behind its answer
            Assert.Equal(11, Refused().Length);
            _time.Advance(TimeSpan.FromSeconds(5));
            Assert.Equal(401, await SendAsync(server, HttpMethod.Get, "guess.wrong"));
        }
        Assert.Contains(" by second ", Refused()[10], StringComparison.Ordinal);
        Assert.Contains(" 90 others had no line", Refused()[11], StringComparison.Ordinal);
    }

    private static string CountOf(string metrics, string key, int status) => metrics.Split('\n').Single(
        line => line.StartsWith("bigpile_server_refusals_total{", StringComparison.Ordinal)
            && line.Contains($"key=\"{key}\"", StringComparison.Ordinal)
            && line.Contains($"=\"{status}\"", StringComparison.Ordinal)).Split(' ')[^1];

    private string KeysPath => Path.Combine(_directory.Path, "keys.json");

    private string[] Refused() => [.. _lines.Lines.Where(static line => line.Contains(" was refused ", StringComparison.Ordinal))];

    private void WriteKeys(params BigPileKey[] keys) => File.WriteAllText(KeysPath, JsonSerializer.Serialize(new
    {
        Security = new
        {
            Keys = keys.Select(static key => new
            {
                key.Name, key.Hash, Scopes = key.Scopes.ToString(), key.Tables, key.RequestsPerSecond, key.Burst,
            }),
        },
    }));

    private Task<RunningServer> StartAsync(params string[] settings) => RunningServer.StartAsync(
        _directory.Pile, services => services.AddSingleton<TimeProvider>(_time).AddSingleton<ILoggerProvider>(_lines),
        [.. settings, "--Security:KeysPath=" + KeysPath, "--Serilog:MinimumLevel:Default=Information"]);

    // A put and two reads by the first key, on the fast path and in the full stack, and a read by the second.
    private async Task<string> TryAllAsync(RunningServer server)
    {
        int put = await SendAsync(server, HttpMethod.Put, _firstCredential);
        long answered = server.Service<FastPathCounters>().Answered;
        int read = await SendAsync(server, HttpMethod.Get, _firstCredential);
        if (read == 200)
            Assert.Equal(answered + 1, server.Service<FastPathCounters>().Answered);
        int whole = await SendAsync(server, HttpMethod.Get, _firstCredential, Entry + "?x");
        return $"{put} {read} {whole} {await SendAsync(server, HttpMethod.Get, _secondCredential)}";
    }

    private static async Task<int> SendAsync(RunningServer server, HttpMethod method, string? credential, string path = Entry)
    {
        using HttpRequestMessage request = RequestOf(method, path, credential);
        if (method == HttpMethod.Put)
            request.Content = new StringContent("hello");
        using HttpResponseMessage answer = await server.Client.SendAsync(request);
        return (int)answer.StatusCode;
    }

    private static async Task<string> ReadAsync(RunningServer server, string path, string credential)
    {
        using HttpRequestMessage request = RequestOf(HttpMethod.Get, path, credential);
        using HttpResponseMessage answer = await server.Client.SendAsync(request);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return await answer.Content.ReadAsStringAsync();
    }

    private static HttpRequestMessage RequestOf(HttpMethod method, string path, string? credential)
    {
        var request = new HttpRequestMessage(method, path);
        if (credential != null)
            request.Headers.Authorization = new("Bearer", credential);
        return request;
    }
}
