using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Http.Entries;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Timeouts, driven by the test's heartbeats.</summary>
public sealed class TimerTests : IAsyncLifetime
{
    private const string Get = "GET /v1/tables/t/entries/a HTTP/1.1\r\nHost: h\r\n\r\n";

    private readonly StackStub _stack = new();
    private ServedApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await ServedApp.StartAsync(isFast: false);
        _app.Put("a", new byte[1_000]);
    }

    public async Task DisposeAsync()
    {
        _stack.End();
        await _app.DisposeAsync();
    }

    [Fact]
    public async Task A_connection_without_requests_is_closed_and_each_request_starts_the_time_anew()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        connection.Beat(MemoryConnection.Limits.IdleTicks - 1);
        await connection.SendAsync(Get);
        Assert.StartsWith("HTTP/1.1 200", connection.Receive(), StringComparison.Ordinal);
        connection.Beat(MemoryConnection.Limits.IdleTicks - 1);
        Assert.False(connection.Running.IsCompleted);
        connection.Beat(1);
        await connection.Running;
        Assert.Equal("", connection.Receive());
        Assert.Null(_stack.Connection);
    }

    [Fact]
    public async Task A_head_that_does_not_become_whole_gets_408_from_the_door()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync("GET /v1");
        connection.Beat(MemoryConnection.Limits.HeadTicks / 2);
        await connection.SendAsync("/tables"); // does not restart the timeout
        Assert.False(connection.Running.IsCompleted);
        connection.Beat(MemoryConnection.Limits.HeadTicks - MemoryConnection.Limits.HeadTicks / 2);
        await connection.Running;
        string answer = connection.Receive();
        Assert.StartsWith(
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\nDate: ", answer, StringComparison.Ordinal);
        Assert.EndsWith(" GMT\r\n\r\n", answer, StringComparison.Ordinal);
        Assert.Equal(1, _app.Counters.Timeouts);
        Assert.Null(_stack.Connection);
    }

    [Fact]
    public async Task A_head_in_many_pieces_has_one_time_for_all_of_them()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        foreach (char c in "GET /v1/tab")
            await connection.SendAsync(c.ToString());
        Assert.Null(_stack.Connection); // there the timeout would restart
        connection.Beat(MemoryConnection.Limits.HeadTicks);
        await connection.Running;
        Assert.StartsWith("HTTP/1.1 408", connection.Receive(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_head_in_many_pieces_is_answered_when_it_is_whole()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        foreach (char c in Get)
            await connection.SendAsync(c.ToString());
        Assert.StartsWith("HTTP/1.1 200", connection.Receive(), StringComparison.Ordinal);
        Assert.Null(_stack.Connection);
    }

    [Fact]
    public async Task A_head_that_is_too_long_for_the_door_is_waited_for_there_all_the_same()
    {
        string head = "GET / HTTP/1.1\r\n"
            + string.Concat(Enumerable.Range(0, 100).Select(static i => $"X-{i}: {new string('v', 100)}\r\n"));
        foreach (bool isWhole in new[] { false, true })
        {
            using var connection = new MemoryConnection(_app, _stack.RunAsync);
            await connection.SendAsync(head);
            connection.Beat(MemoryConnection.Limits.HeadTicks - 1);
            Assert.Null(_stack.Connection);
            if (isWhole)
            {
                await connection.SendAsync("\r\n");
                Assert.NotNull(_stack.Connection);
                Assert.Equal(head, await _stack.TakeAsync(head.Length).WaitAsync(Eventually.Timeout));
            }
            else
            {
                connection.Beat(1);
                await connection.Running;
                Assert.StartsWith("HTTP/1.1 408", connection.Receive(), StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData('x', 9_000)] // a line that is longer than one may be
    [InlineData('\n', 50_000)]
    public async Task A_head_that_the_stack_refuses_at_once_is_not_waited_for(char lineEnd, int lengthBytes)
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync("GET /" + string.Concat(Enumerable.Repeat(new string('x', 99) + lineEnd, lengthBytes / 100)));
        Assert.NotNull(_stack.Connection);
    }

    [Fact]
    public async Task A_client_that_takes_nothing_is_cut_off()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync, pauseBytes: 1_000);
        await connection.SendAsync(string.Concat(Enumerable.Repeat(Get, 10)));
        int ticks = MemoryConnection.Limits.FlushTicks(10 * 1_000);
        Assert.InRange(ticks, 50, 1_000); // by the rate, far above the grace
        connection.Beat(ticks - 1);
        Assert.False(connection.IsAborted);
        connection.Beat(ticks); // the heads count too
        await Eventually.TrueAsync(() => connection.IsAborted);
    }

    [Fact]
    public async Task A_client_that_takes_what_is_sent_is_not_cut_off()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync, pauseBytes: 1_000);
        for (int i = 0; i < 5; i++)
        {
            await connection.SendAsync(Get);
            connection.Beat(MemoryConnection.Limits.FlushTicks(1_000) - 1);
            Assert.StartsWith("HTTP/1.1 200", connection.Receive(), StringComparison.Ordinal);
        }
        Assert.False(connection.IsAborted);
    }

    [Fact]
    public async Task A_stop_closes_an_idle_connection_and_one_with_half_a_head()
    {
        foreach (string sent in new[] { "", Get, "GET /v1" })
        {
            using var connection = new MemoryConnection(_app, _stack.RunAsync);
            await connection.SendAsync(sent);
            string answer = connection.Receive();
            connection.RequestClose();
            await connection.Running.WaitAsync(Eventually.Timeout);
            Assert.Equal(sent == Get, answer.StartsWith("HTTP/1.1 200", StringComparison.Ordinal));
            Assert.Equal("", connection.Receive());
        }
    }

    [Fact]
    public async Task A_stop_amid_requests_answers_those_that_are_there_and_closes_with_the_last()
    {
        _app.Put("big", new byte[EntryReader.SliceBytes]);
        string big = Get.Replace("/a ", "/big ", StringComparison.Ordinal);
        using var connection = new MemoryConnection(_app, _stack.RunAsync, pauseBytes: 1_000);
        await connection.SendAsync(string.Concat(Enumerable.Repeat(big, 6)) + Get); // two flushes and the rest
        connection.RequestClose();
        string answers = "";
        await Eventually.TrueAsync(() =>
        {
            answers += connection.Receive();
            return connection.Running.IsCompleted;
        });
        answers += connection.Receive();
        string[] parts = answers.Split("HTTP/1.1 200");
        Assert.Equal(8, parts.Length);
        Assert.All(parts[..7], static part => Assert.DoesNotContain("Connection: close", part, StringComparison.Ordinal));
        Assert.Contains("Connection: close\r\n", parts[7], StringComparison.Ordinal);
    }
}
