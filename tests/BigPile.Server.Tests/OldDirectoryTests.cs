using System;
using System.Diagnostics;
using System.IO;
using System.IO.Compression;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests;

/// <summary>Commands on directories that are not as this version left them: of an earlier format, or a copy.</summary>
public sealed class OldDirectoryTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("stats")]
    [InlineData("export", "--table", "numbers")]
    public async Task Who_only_looks_raises_no_format(params string[] command)
    {
        Extract();
        byte[] before = File.ReadAllBytes(Superblock);
        (int code, _, string error) = await RunAsync([.. command, "--directory", _directory.Pile]);
        Assert.Equal(1, code);
        Assert.Contains("is of format 5", error, StringComparison.Ordinal);
        Assert.Equal(before, File.ReadAllBytes(Superblock));
    }

    [Fact]
    public async Task A_load_raises_the_format_and_says_so()
    {
        Extract();
        (int code, _, string error) = await RunAsync(
            ["load", _directory.Write("lines", "{\"id\":1}\n"), "--table", "new", "--key", "id", "--directory", _directory.Pile]);
        Assert.Equal(0, code);
        Assert.Contains("was of format 5, and is of format", error, StringComparison.Ordinal);
        Assert.Equal(0, (await RunAsync(["stats", "--directory", _directory.Pile])).Code);
    }

    [Fact]
    public async Task A_copy_is_told_by_whatever_opens_it()
    {
        if (OperatingSystem.IsWindows())
            return; // which has no numbers of files
        await using (RunningServer server = await RunningServer.StartAsync(_directory.Pile))
        {
            using HttpResponseMessage put = await server.PutAsync("/v1/tables/t/entries/k", [1]);
            using Process cp = Process.Start("cp", ["-r", _directory.Pile, _directory.Pile + "-copy"]);
            await cp.WaitForExitAsync();
        }
        (int code, _, string error) = await RunAsync(["stats", "--directory", _directory.Pile + "-copy"]);
        Assert.Equal(0, code);
        Assert.Contains("this directory is a copy", error, StringComparison.Ordinal);
    }

    private string Superblock => Path.Combine(_directory.Pile, "superblock");

    private void Extract() => ZipFile.ExtractToDirectory(
        Path.Combine(SourceTree.Root, "tests/BigPile.Caching.Tests/Golden/tables-2-in-5-closed.zip"), _directory.Pile);
}
