using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Attacks;

/// <summary>
/// Hostile inputs over a real socket: each gets the refusal that it should, and the server goes on as if it had not been.
/// </summary>
[Collection(AloneGroup.Name)]
public sealed class AttackTests(ITestOutputHelper output) : IDisposable
{
    internal const int MaxBodyBytes = 1 << 20;

    private const long MostGrowthBytes = 32L << 20;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Each_gets_its_refusal_and_the_server_goes_on()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, $"--Server:MaxBodyBytes={MaxBodyBytes}", "--Limits:HeadSeconds=1", "--Limits:GraceSeconds=2");
        (await server.PutAsync("/v1/tables/t/entries/kept", "kept"u8.ToArray())).EnsureSuccessStatusCode();

        List<(string Input, string Answer)> rows = await RunAllAsync(server);
        output.WriteLine(Table(rows));
        long before = ManagedBytes();
        await RunAllAsync(server);
        long grown = ManagedBytes() - before;
        output.WriteLine($"{rows.Count} inputs; a second round of them left {grown:N0} bytes more on the managed heap");
        Assert.True(grown < MostGrowthBytes, $"the managed heap grew by {grown:N0} bytes");
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync("/health/ready")).StatusCode);
    }

    [Fact]
    public async Task Nothing_that_was_refused_or_cut_off_is_stored()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, $"--Server:MaxBodyBytes={MaxBodyBytes}", "--Limits:HeadSeconds=1", "--Limits:GraceSeconds=2");
        foreach (AttackCase attack in AttackCases.All())
        {
            string answer = await attack.RunAsync(server.Address.Port);
            bool wasStored = answer.Contains("HTTP/1.1 201", StringComparison.Ordinal);
            using var read = await server.Client.DeleteAsync("/v1/tables/t/entries/hostile");
            Assert.Equal((attack.Name, wasStored), (attack.Name, read.StatusCode == HttpStatusCode.NoContent));
        }
    }

    private static async Task<List<(string Input, string Answer)>> RunAllAsync(RunningServer server)
    {
        var rows = new List<(string Input, string Answer)>();
        var wrong = new List<string>();
        foreach (AttackCase attack in AttackCases.All())
        {
            string answer = await attack.RunAsync(server.Address.Port);
            string statuses = AttackCase.StatusesOf(answer);
            if (!attack.Expected.Split('|').Contains(statuses))
                wrong.Add($"{attack.Name}: expected {Shorten(attack.Expected)}, got {Shorten(statuses)}: {Shorten(answer)}");
            rows.Add((attack.Name, $"{Shorten(statuses)} {AttackCase.CodeOf(answer)}".TrimEnd()));
            Assert.Equal("kept", await server.Client.GetStringAsync("/v1/tables/t/entries/kept"));
        }
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        return rows;
    }

    private static long ManagedBytes()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }

    private static string Table(List<(string Input, string Answer)> rows)
    {
        int width = rows.Max(static row => row.Input.Length);
        var table = new StringBuilder();
        foreach ((string input, string answer) in rows)
            table.Append(input.PadRight(width)).Append(" → ").Append(answer).Append('\n');
        return table.ToString();
    }

    private static string Shorten(string text) => text.Length <= 60 ? text : text[..60] + "…";
}
