using System;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Requests;

namespace BigPile.Perf.Tests;

public sealed class HttpCommandTests
{
    [Fact]
    public async Task Each_size_and_number_of_connections_has_a_row()
    {
        JsonElement report = (await ConsoleRun.Of("http --connections 1,3 --value-bytes 8,5000 --seconds 1 --json")).Json();
        JsonElement[] rows = [.. report.GetProperty("rows").EnumerateArray()];
        Assert.Equal([8, 8, 5000, 5000], rows.Select(static row => row.GetProperty("valueBytes").GetInt32()));
        Assert.Equal([1, 3, 1, 3], rows.Select(static row => row.GetProperty("connections").GetInt32()));
        Assert.All(rows, static row => Measured.AssertAbove0(row, "requestsPerSecond"));
        Assert.All(rows, static row => Measured.AssertAbove0(row.GetProperty("latencyUs"), "p99"));
    }

    [Theory]
    [InlineData("HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\n\r\n01234567", "status 404")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n012", "and 3 bytes")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n~~~~~~~~", "are not the 8 that were put")]
    [InlineData("HTTP/1.1 200 OK\r\n\r\n", "does not state its length")]
    public async Task A_wrong_answer_ends_the_load(string answer, string says)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var asker = new Asker((IPEndPoint)listener.LocalEndpoint, connections: 1, valueBytes: 8, seed: 1, CancellationToken.None);
        using Socket server = await listener.AcceptSocketAsync();
        server.Send(Encoding.ASCII.GetBytes(answer));
        asker.Run(System.Diagnostics.Stopwatch.GetTimestamp(), TimeSpan.FromSeconds(60));
        LoadException error = Assert.Throws<LoadException>(() => asker.Failure!.Throw());
        Assert.Contains(says, error.Message);
    }

    [Theory]
    [InlineData("--connections 0", "--connections '0' is out of range", "from 1 to 1024")]
    [InlineData("--value-bytes 100,7", "--value-bytes '100,7' is out of range", "from 8 to 8388608")]
    [InlineData("--seconds -1", "--seconds '-1' is out of range", "from 1 to 3600")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"http {options}")).AssertRefused(thing, limit);
}
