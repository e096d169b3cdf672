using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests;

/// <summary>A directory from which a part of the pile is gone: every verb says what, in one line, and leaves the rest as it is.</summary>
public sealed class DamagedStartTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("superblock", false, "is missing or empty")]
    [InlineData("superblock", true, "is missing or empty")]
    [InlineData("segment*", false, "segment")]
    public async Task A_server_refuses_to_start_and_changes_nothing(string pattern, bool isEmptied, string said)
    {
        await MakeAsync();
        string lost = Directory.GetFiles(_directory.Pile, pattern).Order(StringComparer.Ordinal).First();
        if (isEmptied)
            File.WriteAllBytes(lost, []);
        else
            File.Delete(lost);
        string[] before = Contents();

        (int code, _, string error) = await RunAsync(RunningServer.Arguments(_directory.Pile));
        Assert.Equal(1, code);
        Assert.Contains(said, error, StringComparison.Ordinal);
        Assert.Contains(_directory.Pile, error, StringComparison.Ordinal);
        Assert.Equal(1, error.Count(static character => character == '\n'));
        Assert.Equal(before, Contents());

        (code, _, error) = await RunAsync(["verify", _directory.Pile]);
        Assert.NotEqual(0, code);
        (code, _, _) =
            await RunAsync(["export", "--table", "t", "--out", Path.Combine(_directory.Path, "out"), "--directory", _directory.Pile]);
        Assert.NotEqual(0, code);
        Assert.Equal(before, Contents());
    }

    private async Task MakeAsync()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        using var put = await server.PutAsync("/v1/tables/t/entries/k", [1, 2, 3], "text/plain");
        Assert.True(put.IsSuccessStatusCode);
    }

    // The id of the last process may be recorded; everything else must be unchanged.
    private string[] Contents() =>
        [.. new DirectoryInfo(_directory.Pile).GetFiles().Where(static file => file.Name is not ("owner" or "lock"))
            .OrderBy(static file => file.Name, StringComparer.Ordinal).Select(static file => $"{file.Name} {file.Length}")];
}
