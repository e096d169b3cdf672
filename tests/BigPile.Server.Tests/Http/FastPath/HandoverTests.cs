using System;
using System.IO.Pipelines;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Entries;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>The return of a connection from the full stack, step by step.</summary>
public sealed class HandoverTests : IAsyncLifetime
{
    private const string Get = "GET /v1/tables/t/entries/a HTTP/1.1\r\nHost: h\r\n\r\n";
    private const string Head = "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n";
    private const string Answer = "HTTP/1.1 204 No Content\r\n\r\n";

    private readonly StackStub _stack = new();
    private ServedApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await ServedApp.StartAsync(isFast: false);
        _app.Put("a", "{}"u8);
    }

    public async Task DisposeAsync()
    {
        _stack.End();
        await _app.DisposeAsync();
    }

    [Fact]
    public async Task The_connection_comes_back_behind_a_request_that_is_over()
    {
        using MemoryConnection connection = await HandOverAsync("");
        ValueTask<ReadResult> next = _stack.Input.ReadAsync();
        await connection.SendAsync(Get + Get);
        Assert.Equal(2, AnswerText.Count(Encoding.Latin1.GetBytes(connection.Receive())));
        Assert.False(next.IsCompleted);
        await connection.SendAsync(Get + Head);
        Assert.Equal(1, AnswerText.Count(Encoding.Latin1.GetBytes(connection.Receive())));
        ReadResult result = await next;
        Assert.Equal(Head, Encoding.Latin1.GetString(result.Buffer.FirstSpan));
    }

    [Fact]
    public async Task While_the_answer_is_not_complete_nothing_is_answered()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync(Head + "body" + Get);
        await _stack.TakeAsync(Head.Length + 4);
        ReadResult result = await _stack.Input.ReadAsync(); // the stack looks ahead
        Assert.Equal(Get, Encoding.Latin1.GetString(result.Buffer.FirstSpan));
        _stack.Input.AdvanceTo(result.Buffer.Start);
        Assert.Equal("", connection.Receive());
    }

    [Fact]
    public async Task While_the_body_is_not_consumed_nothing_is_answered()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync($"PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: {Get.Length}\r\n\r\n" + Get);
        await _stack.TakeAsync($"PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: {Get.Length}\r\n\r\n".Length);
        await _stack.AnswerAsync(Answer);
        ReadResult result = await _stack.Input.ReadAsync(); // drains the body
        Assert.Equal(Get, Encoding.Latin1.GetString(result.Buffer.FirstSpan));
        _stack.Input.AdvanceTo(result.Buffer.End);
        Assert.Equal(Answer, connection.Receive());
        ValueTask<ReadResult> next = _stack.Input.ReadAsync();
        await connection.SendAsync(Get);
        Assert.StartsWith("HTTP/1.1 200", connection.Receive(), StringComparison.Ordinal);
        Assert.False(next.IsCompleted);
    }

    [Fact]
    public async Task A_request_without_a_known_end_keeps_the_connection()
    {
        const string chunked = "PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync(chunked + "0\r\n\r\n" + Get);
        await _stack.TakeAsync(chunked.Length + 5);
        await _stack.AnswerAsync(Answer);
        ReadResult result = await _stack.Input.ReadAsync();
        Assert.Equal(Get, Encoding.Latin1.GetString(result.Buffer.FirstSpan));
        Assert.Equal(Answer, connection.Receive());
    }

    [Fact]
    public async Task A_stack_that_takes_more_than_the_request_has_keeps_the_connection()
    {
        using var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync(Head + "body" + Get + Get);
        await _stack.TakeAsync(Head.Length + 4 + 1);
        await _stack.AnswerAsync(Answer);
        ReadResult result = await _stack.Input.ReadAsync();
        Assert.Equal(Get[1..] + Get, Encoding.Latin1.GetString(result.Buffer.FirstSpan));
    }

    [Fact]
    public async Task The_stacks_limit_for_idle_connections_ends_a_busy_one_with_an_answer_that_says_so()
    {
        using MemoryConnection connection = await HandOverAsync("");
        ValueTask<ReadResult> next = _stack.Input.ReadAsync();
        await connection.SendAsync(Get);
        Assert.DoesNotContain("Connection: close", connection.Receive(), StringComparison.Ordinal);
        _stack.Input.CancelPendingRead();
        Assert.False(next.IsCompleted);
        await connection.SendAsync(Get);
        Assert.Contains("Connection: close\r\n", connection.Receive(), StringComparison.Ordinal);
        ReadResult result = await next;
        Assert.Equal((true, false, true), (result.IsCanceled, result.IsCompleted, result.Buffer.IsEmpty));
        _stack.Input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
    }

    [Fact]
    public async Task A_read_that_is_cancelled_because_the_server_stops_comes_back_at_once()
    {
        using MemoryConnection connection = await HandOverAsync("");
        ValueTask<ReadResult> next = _stack.Input.ReadAsync();
        _stack.Input.CancelPendingRead();
        Assert.False(next.IsCompleted);
        connection.RequestClose();
        _stack.Input.CancelPendingRead();
        ReadResult result = await next;
        Assert.Equal((true, false, true), (result.IsCanceled, result.IsCompleted, result.Buffer.IsEmpty));
    }

    [Fact]
    public async Task A_read_that_is_cancelled_amid_answers_ends_behind_them_and_closes_with_the_last()
    {
        _app.Put("big", new byte[EntryReader.SliceBytes]);
        string big = Get.Replace("/a ", "/big ", StringComparison.Ordinal);
        using var connection = new MemoryConnection(_app, _stack.RunAsync, pauseBytes: 1_000);
        await connection.SendAsync(Head + "body" + string.Concat(Enumerable.Repeat(big, 5)) + Get);
        await _stack.TakeAsync(Head.Length + 4);
        await _stack.AnswerAsync(Answer);
        Assert.Equal(Answer, connection.Receive());
        ValueTask<ReadResult> next = _stack.Input.ReadAsync(); // waits for the client to take the first answers
        Assert.False(next.IsCompleted);
        _stack.Input.CancelPendingRead();
        string answers = "";
        Eventually.True(() =>
        {
            answers += connection.Receive();
            return next.IsCompleted;
        });
        answers += connection.Receive();
        Assert.True((await next).IsCanceled);
        string[] parts = answers.Split("HTTP/1.1 200");
        Assert.Equal(7, parts.Length);
        Assert.All(parts[..6], static part => Assert.DoesNotContain("Connection: close", part, StringComparison.Ordinal));
        Assert.Contains("Connection: close\r\n", parts[6], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cancellation_ahead_of_the_read_is_not_lost()
    {
        using MemoryConnection connection = await HandOverAsync("");
        _stack.Input.CancelPendingRead();
        ReadResult result = await _stack.Input.ReadAsync();
        Assert.True(result.IsCanceled);
    }

    [Fact]
    public async Task The_end_of_the_input_and_a_close_that_the_client_asked_for_come_as_the_end()
    {
        using (MemoryConnection connection = await HandOverAsync(""))
        {
            ValueTask<ReadResult> next = _stack.Input.ReadAsync();
            await connection.Input.CompleteAsync();
            Assert.True((await next).IsCompleted);
        }
        using (MemoryConnection connection = await HandOverAsync(""))
        {
            ValueTask<ReadResult> next = _stack.Input.ReadAsync();
            await connection.SendAsync(Get.Replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", StringComparison.Ordinal));
            Assert.Contains("Connection: close\r\n", connection.Receive(), StringComparison.Ordinal);
            Assert.True((await next).IsCompleted);
        }
    }

    [Fact]
    public async Task A_connection_that_idles_behind_the_gate_is_closed_by_the_doors_limit()
    {
        using MemoryConnection connection = await HandOverAsync("");
        ValueTask<ReadResult> next = _stack.Input.ReadAsync();
        connection.Beat(MemoryConnection.Limits.IdleTicks);
        ReadResult result = await next;
        Assert.Equal((false, true), (result.IsCanceled, result.IsCompleted));
    }

    private async Task<MemoryConnection> HandOverAsync(string behind)
    {
        var connection = new MemoryConnection(_app, _stack.RunAsync);
        await connection.SendAsync(Head + "body" + behind);
        Assert.Equal(Head + "body", await _stack.TakeAsync(Head.Length + 4));
        await _stack.AnswerAsync(Answer);
        Assert.Equal(Answer, connection.Receive());
        return connection;
    }
}
