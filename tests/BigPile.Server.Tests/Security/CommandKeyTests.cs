using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests.Security;

/// <summary>The commands that ask a running server show it a key.</summary>
public sealed class CommandKeyTests : IAsyncLifetime
{
    private readonly TemporaryDirectory _directory = new();
    private string _keyFile = "";
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        BigPileKey key = BigPileKey.Create("shop", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin, out string credential);
        _keyFile = _directory.Write("shop.key", credential + "\n");
        _server = await RunningServer.StartAsync(
            _directory.Pile, "--Security:Keys:0:Name=shop", "--Security:Keys:0:Hash=" + key.Hash,
            "--Security:Keys:0:Scopes=read,write,admin");
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Fact]
    public async Task With_a_key_each_command_is_answered_and_without_it_is_told_what_is_missing()
    {
        string lines = _directory.Write("lines", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
        string target = Path.Combine(_directory.Path, "out");
        string[][] commands =
        [
            ["load", lines, "--table", "t", "--key", "id"], ["export", "--table", "t", "--out", target], ["stats"],
        ];
        foreach (string[] command in commands)
        {
            string[] asked = [.. command, "--url", _server.Address.ToString()];
            (int code, _, string error) = await RunAsync(asked);
            Assert.Equal(1, code);
            Assert.Contains("401", error, StringComparison.Ordinal);
            Assert.Contains("--key-file or BIGPILE_KEY", error, StringComparison.Ordinal);
            (code, _, error) = await RunAsync([.. asked, "--key-file", _keyFile]);
            Assert.True(code == 0, error);
        }
        Assert.Equal(2, (await File.ReadAllLinesAsync(target)).Count(static line => line.Contains("\"key\"", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task An_export_that_fails_leaves_the_file_of_the_one_before()
    {
        string target = _directory.Write("out", "the one before");
        (int code, _, _) =
            await RunAsync(["export", "--table", "none", "--out", target, "--url", _server.Address.ToString(), "--key-file", _keyFile]);
        Assert.Equal(1, code);
        Assert.Equal("the one before", await File.ReadAllTextAsync(target));
        Assert.Empty(Directory.GetFiles(_directory.Path, "*.new"));
    }

    [Theory]
    [InlineData("", "is empty")]
    [InlineData("two\nlines", "holds no key")]
    public async Task A_file_without_a_key_is_named(string content, string message)
    {
        string file = _directory.Write("bad.key", content);
        (int code, _, string error) = await RunAsync(["stats", "--url", _server.Address.ToString(), "--key-file", file]);
        Assert.Equal(1, code);
        Assert.Contains($"'{file}' {message}", error, StringComparison.Ordinal);
    }
}
