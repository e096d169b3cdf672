using System;
using System.IO;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.Hash;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests;

/// <summary>The commands that read a pile, given the file of a hash database.</summary>
public sealed class DatabaseCommandTests : IDisposable
{
    private const int Records = 1_000;

    private readonly TemporaryDirectory _files = new();

    private string Database => Path.Combine(_files.Path, "records.hash");

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task A_sound_database_gives_0_and_what_was_looked_at()
    {
        Fill();
        (int code, string output, string error) = await RunAsync("verify", Database);
        Assert.Equal((0, ""), (code, error));
        Assert.StartsWith($"Verified the hash database {Database}\n  records     1,000\n", output, StringComparison.Ordinal);
        Assert.EndsWith("No faults.\n", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_damaged_record_is_named_and_gives_1()
    {
        Fill();
        byte[] bytes = File.ReadAllBytes(Database);
        int place = bytes.AsSpan().IndexOf("value 500"u8);
        bytes[place] ^= 1;
        File.WriteAllBytes(Database, bytes);
        (int code, string output, _) = await RunAsync("verify", Database);
        Assert.Equal(1, code);
        Assert.Contains("\nFault: ", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_that_is_open_and_what_is_none_give_2()
    {
        Fill();
        using (HashDatabase.Open(Database))
        {
            (int code, _, string error) = await RunAsync("verify", Database);
            Assert.Equal(2, code);
            Assert.StartsWith("The database could not be verified: ", error, StringComparison.Ordinal);
        }
        string other = _files.Write("other", "no database");
        Assert.NotEqual(0, (await RunAsync("verify", other)).Code);
    }

    [Fact]
    public async Task Stats_tells_what_it_holds()
    {
        Fill();
        (int code, string output, string error) = await RunAsync("stats", "--database", Database);
        Assert.Equal((0, ""), (code, error));
        JsonNode report = JsonNode.Parse(output)!;
        Assert.Equal(Records, (long)report["records"]!);
        Assert.Equal(
            (long)report["fileBytes"]!,
            (long)report["indexBytes"]! + (long)report["liveBytes"]! + (long)report["freeBytes"]! + (long)report["waitingBytes"]!);
        Assert.Equal(1, (await RunAsync("stats", "--database", Database + "x")).Code);
        Assert.NotEqual(0, (await RunAsync("stats", "--database", Database, "--url", "http://127.0.0.1:1")).Code);
    }

    private void Fill()
    {
        using HashDatabase database = HashDatabase.Open(Database);
        for (int i = 0; i < Records; i++)
            database.Set(BitConverter.GetBytes(i), System.Text.Encoding.ASCII.GetBytes($"value {i}"));
    }
}
