using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Tests.Security;

/// <summary>Keys that come from two places, and a key that goes while a request of it runs.</summary>
public sealed class KeyPlacesTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("0", "all")]
    [InlineData("1", "all")]
    [InlineData("0", "first")]
    public void Keys_of_two_places_are_not_put_together(string index, string name)
    {
        IConfigurationRoot settings = new ConfigurationBuilder()
            .AddJsonStream(Json("first"))
            .AddInMemoryCollection([new($"Security:Keys:{index}:Name", name), new($"Security:Keys:{index}:Scopes:0", "write")])
            .Build();
        SettingsException both = Assert.Throws<SettingsException>(() => SettingForms.CheckKeys(settings));
        Assert.Contains("and one would be taken for a part of the other", both.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_same_file_read_twice_is_one_place() =>
        SettingForms.CheckKeys(new ConfigurationBuilder().AddJsonStream(Json("first")).AddJsonStream(Json("first")).Build());

    [Fact]
    public async Task A_load_ends_with_its_key()
    {
        BigPileKey loading = BigPileKey.Create("loading", KeyScopes.Write, out string credential);
        BigPileKey other = BigPileKey.Create("other", KeyScopes.Read, out string otherCredential);
        _directory.Write("keys.json", Text(loading, other));
        await using RunningServer server =
            await RunningServer.StartAsync(_directory.Pile, $"--Security:KeysPath={_directory.Path}/keys.json");
        using var body = new EndlessBody("{\"id\":1}\n");
        Assert.Equal(HttpStatusCode.NotFound, await ReadAsync(server, otherCredential));
        using var request = new HttpRequestMessage(HttpMethod.Post, "/v1/tables/t:load?key=id") { Content = body };
        request.Headers.Authorization = new("Bearer", credential);
        Task<HttpResponseMessage> load = server.Client.SendAsync(request);
        await Eventually.TrueAsync(async () => await ReadAsync(server, otherCredential) == HttpStatusCode.OK);
        _directory.Write("keys.json", Text(other));
        server.Service<KeyReload>().ReloadIfChanged();
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => load.WaitAsync(Eventually.Timeout));
        Assert.Equal(HttpStatusCode.OK, await ReadAsync(server, otherCredential));
    }

    private static async Task<HttpStatusCode> ReadAsync(RunningServer server, string credential)
    {
        using var read = new HttpRequestMessage(HttpMethod.Get, "/v1/tables/t/entries/1");
        read.Headers.Authorization = new("Bearer", credential);
        using HttpResponseMessage answer = await server.Client.SendAsync(read);
        return answer.StatusCode;
    }

    private static MemoryStream Json(string name) => new(Encoding.UTF8.GetBytes(
        $"{{\"Security\":{{\"Keys\":[{{\"Name\":\"{name}\",\"Hash\":\"h\",\"Scopes\":[\"read\"]}}]}}}}"));

    private static string Text(params BigPileKey[] keys) => JsonSerializer.Serialize(new
    {
        Security = new { Keys = keys.Select(static key => new { key.Name, key.Hash, Scopes = key.Scopes.ToString() }) },
    });

    /// <summary>A body that is sent a line at a time, for as long as somebody takes it.</summary>
    private sealed class EndlessBody(string line) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(line);
            using var pace = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
            while (await pace.WaitForNextTickAsync())
            {
                await stream.WriteAsync(bytes);
                await stream.FlushAsync();
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
