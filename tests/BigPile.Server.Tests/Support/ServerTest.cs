using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Support;

/// <summary>A test with a server on an empty pile.</summary>
public abstract class ServerTest : IAsyncLifetime
{
    private readonly TemporaryDirectory _directory = new();

    internal RunningServer Server { get; private set; } = null!;

    internal HttpClient Client => Server.Client;

    internal TemporaryDirectory Files => _directory;

    /// <summary>Settings beside the usual ones.</summary>
    protected virtual string[] Settings => [];

    public async Task InitializeAsync() => Server = await RunningServer.StartAsync(_directory.Pile, Settings);

    public async Task DisposeAsync()
    {
        await Server.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>Checks that a response is a problem document, and gives it.</summary>
    internal static async Task<JsonElement> ProblemAsync(HttpResponseMessage response, HttpStatusCode status, string code)
    {
        string body = await response.Content.ReadAsStringAsync();
        Assert.Equal((status, "application/problem+json"), (response.StatusCode, response.Content.Headers.ContentType?.ToString()));
        JsonElement problem = JsonDocument.Parse(body).RootElement;
        Assert.Equal(code, problem.GetProperty("code").GetString());
        Assert.Equal("urn:bigpile:error:" + code, problem.GetProperty("type").GetString());
        Assert.Equal((int)status, problem.GetProperty("status").GetInt32());
        return problem;
    }

    internal async Task<JsonElement> GetJsonAsync(string path) =>
        JsonDocument.Parse(await Client.GetByteArrayAsync(path)).RootElement;
}
