using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests;

public sealed class CatalogTests(ITestOutputHelper output) : IDisposable
{
    private const int ClientCount = 4;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [CatalogFact]
    public async Task Records_of_the_catalog_are_served_as_their_lines_and_again_after_a_restart()
    {
        var loaded = new StringWriter();
        string[] load = ["load", CatalogFactAttribute.FilePath!, "--table", "packages", "--key", "id", "--directory", _directory.Pile];
        Assert.Equal(0, await Program.RunAsync(load, loaded, TextWriter.Null));
        output.WriteLine(loaded.ToString());
        Dictionary<string, byte[]> lines = ReadLines();
        Assert.Contains("Loaded 63,440 records, 33,455,261 bytes,", loaded.ToString(), StringComparison.Ordinal);
        Assert.Contains(
            $"\n{63_440 - lines.Count} of them replaced an entry with the same key.", loaded.ToString(), StringComparison.Ordinal);

        Dictionary<string, string> first = await ReadAllAsync(lines);
        Dictionary<string, string> second = await ReadAllAsync(lines);
        Assert.Equal(first, second);
    }

    // Four packages come twice, in two versions; the later line counts.
    private static Dictionary<string, byte[]> ReadLines()
    {
        using var gzip = new GZipStream(File.OpenRead(CatalogFactAttribute.FilePath!), CompressionMode.Decompress);
        using var reader = new StreamReader(gzip, Encoding.UTF8);
        var lines = new Dictionary<string, byte[]>();
        while (reader.ReadLine() is { } line)
            lines[JsonDocument.Parse(line).RootElement.GetProperty("id").GetString()!] = Encoding.UTF8.GetBytes(line);
        Assert.Equal(63_436, lines.Count);
        return lines;
    }

    /// <summary>Starts a server, compares bodies with their lines (all in the long leg), and gives the tags by key.</summary>
    private async Task<Dictionary<string, string>> ReadAllAsync(Dictionary<string, byte[]> lines)
    {
        long started = Stopwatch.GetTimestamp();
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        Assert.StartsWith("{\"status\":\"ready\"", await server.Client.GetStringAsync("/health/ready"), StringComparison.Ordinal);
        output.WriteLine($"Ready in {Stopwatch.GetElapsedTime(started).TotalMilliseconds:N0} ms");

        started = Stopwatch.GetTimestamp();
        KeyValuePair<string, byte[]>[] sample = [.. lines.Where(static (_, i) => i % TestLeg.Steps(16, 1) == 0)];
        KeyValuePair<string, string>[][] tags = await Task.WhenAll(
            sample.Chunk((sample.Length / ClientCount) + 1).Select(part => CompareAsync(server.Client, part)));
        output.WriteLine($"Read and compared {sample.Length:N0} bodies in {Stopwatch.GetElapsedTime(started).TotalSeconds:F2} s");
        return tags.SelectMany(static part => part).ToDictionary();
    }

    private static async Task<KeyValuePair<string, string>[]> CompareAsync(HttpClient client, KeyValuePair<string, byte[]>[] lines)
    {
        var tags = new List<KeyValuePair<string, string>>();
        foreach ((string key, byte[] line) in lines)
        {
            using HttpResponseMessage response = await client.GetAsync($"/v1/tables/packages/entries/{Uri.EscapeDataString(key)}");
            byte[] body = await response.Content.ReadAsByteArrayAsync();
            Assert.True(body.AsSpan().SequenceEqual(line), key);
            tags.Add(new(key, response.Headers.ETag!.Tag));
        }
        return [.. tags];
    }
}
