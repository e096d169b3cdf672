using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Security;

public sealed class KeyCommandTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task The_printed_key_opens_a_server_with_the_printed_settings()
    {
        var output = new StringWriter();
        Assert.Equal(
            0, await Program.RunAsync(["key", "--name", "shop", "--scopes", "read,write", "--tables", "a-*"], output, TextWriter.Null));
        string text = output.ToString();
        string credential = Array.Find(text.Split('\n'), static line => line.StartsWith("  shop.", StringComparison.Ordinal))!.Trim();
        JsonElement fragment =
            JsonDocument.Parse(text[text.IndexOf('{', StringComparison.Ordinal)..(text.LastIndexOf('}') + 1)]).RootElement;
        Assert.DoesNotContain(credential["shop.".Length..], fragment.ToString(), StringComparison.Ordinal);
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, "--Security:Keys:0:Name=shop", "--Security:Keys:0:Hash=" + fragment.GetProperty("Hash").GetString(),
            "--Security:Keys:0:Scopes=" + string.Join(',', fragment.GetProperty("Scopes").EnumerateArray()),
            "--Security:Keys:0:Tables=" + string.Join(',', fragment.GetProperty("Tables").EnumerateArray()));
        server.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", credential);
        Assert.Equal(HttpStatusCode.Created, (await server.PutAsync("/v1/tables/a-1/entries/k", [1])).StatusCode);
        Assert.Equal(HttpStatusCode.Forbidden, (await server.PutAsync("/v1/tables/b/entries/k", [1])).StatusCode);
        using HttpResponseMessage read = await server.Client.GetAsync("/v1/tables/a-1/entries/k");
        Assert.Equal(HttpStatusCode.OK, read.StatusCode);
    }

    [Theory]
    [InlineData("key --name a.b --scopes read", "The key's name is 'a.b'")]
    [InlineData("key --name a --scopes everything", "none of read, write and admin")]
    [InlineData("key --name a --scopes read --tables a/b", "table pattern 'a/b'")]
    [InlineData("key --name a --scopes read --requests-per-second 0", "0 requests a second")]
    public async Task What_is_no_key_is_refused(string commandLine, string message)
    {
        var error = new StringWriter();
        Assert.Equal(1, await Program.RunAsync(commandLine.Split(' '), TextWriter.Null, error));
        Assert.Contains(message, error.ToString(), StringComparison.Ordinal);
    }
}
