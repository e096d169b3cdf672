using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Attacks;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.Server.Tests.Api;

public sealed class ConditionalWriteTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";

    [Fact]
    public async Task If_match_is_a_compare_and_set()
    {
        string first = await TagAsync(await Server.PutAsync(Path, [1]));
        string second = await TagAsync(await SendAsync("PUT", Path, [2], ("If-Match", first)));
        Assert.NotEqual(first, second);
        await ProblemAsync(
            await SendAsync("PUT", Path, [3], ("If-Match", first)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        await ProblemAsync(
            await SendAsync("PUT", Path, [3], ("If-Match", "W/" + second)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        Assert.Equal([2], await Client.GetByteArrayAsync(Path));
        string third = await TagAsync(await SendAsync("PUT", Path, [3], ("If-Match", $"\"other\", {second}")));
        string decoded = third[..^1] + "-i\"";
        string fourth = await TagAsync(await SendAsync("PUT", Path, [4], ("If-Match", decoded)));
        _ = await TagAsync(await SendAsync("PUT", Path, [5], ("If-Match", "*")));
        await ProblemAsync(
            await SendAsync("DELETE", Path, null, ("If-Match", fourth)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        Assert.Equal([5], await Client.GetByteArrayAsync(Path));
    }

    [Fact]
    public async Task If_none_match_creates_only()
    {
        HttpResponseMessage created = await SendAsync("PUT", Path, [1], ("If-None-Match", "*"));
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        await ProblemAsync(
            await SendAsync("PUT", Path, [2], ("If-None-Match", "*")), HttpStatusCode.PreconditionFailed, "precondition_failed");
        string tag = created.Headers.ETag!.Tag;
        await ProblemAsync(
            await SendAsync("PUT", Path, [2], ("If-None-Match", tag)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        await ProblemAsync(
            await SendAsync("PUT", Path, [2], ("If-None-Match", "rubbish")), HttpStatusCode.PreconditionFailed, "precondition_failed");
        Assert.Equal([1], await Client.GetByteArrayAsync(Path));
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync("PUT", Path, [2], ("If-None-Match", "\"0000000000000001\""))).StatusCode);
    }

    [Fact]
    public async Task If_unmodified_since_lets_a_change_of_an_older_entry_through()
    {
        (await Server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        string past = DateTimeOffset.UnixEpoch.ToString("R");
        string future = new DateTimeOffset(2999, 1, 1, 0, 0, 0, TimeSpan.Zero).ToString("R");
        await ProblemAsync(
            await SendAsync("PUT", Path, [2], ("If-Unmodified-Since", past)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        await ProblemAsync(
            await SendAsync("DELETE", Path, null, ("If-Unmodified-Since", past)), HttpStatusCode.PreconditionFailed, "precondition_failed");
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync("PUT", Path, [2], ("If-Unmodified-Since", future))).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync("DELETE", Path, null, ("If-Unmodified-Since", future))).StatusCode);
    }

    [Fact]
    public async Task A_condition_that_only_an_entry_meets_makes_no_table()
    {
        await ProblemAsync(await SendAsync("PUT", Path, [1], ("If-Match", "*")), HttpStatusCode.PreconditionFailed, "precondition_failed");
        Assert.Equal(0, (await GetJsonAsync("/v1/tables")).GetProperty("tables").GetArrayLength());
    }

    [Fact]
    public async Task Post_creates_and_never_replaces()
    {
        HttpResponseMessage created = await SendAsync("POST", Path, [1]);
        Assert.Equal((HttpStatusCode.Created, Path), (created.StatusCode, created.Headers.Location?.OriginalString));
        await ProblemAsync(await SendAsync("POST", Path, [2]), HttpStatusCode.Conflict, "entry_exists");
        Assert.Equal([1], await Client.GetByteArrayAsync(Path));
    }

    [Theory]
    [InlineData("PUT", "If-Match: \"0\"", "412", "precondition_failed")]
    [InlineData("PUT", "If-None-Match: *", "412", "precondition_failed")]
    [InlineData("POST", "X: y", "409", "entry_exists")]
    [InlineData("POST", "If-Match: \"0\"", "412", "precondition_failed")]
    [InlineData("PUT", "If-Match: *", "204", "")]
    [InlineData("PUT", "X: y", "204", "")]
    public async Task Who_waits_to_be_told_to_go_on_is_not_told_in_vain(string method, string header, string statuses, string code)
    {
        await Server.PutAsync(Path, [1]);
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port);
        await connection.SendAsync(
            $"{method} {Path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n{header}"
            + "\r\n\r\n" + (code.Length == 0 ? "ab" : "")); // in one, or it may be told to go on before the body is there
        string answer = await connection.ReadToEndAsync();
        Assert.Equal((statuses, code), (AttackCase.StatusesOf(answer), AttackCase.CodeOf(answer)));
    }

    [Fact]
    public async Task Of_many_writers_on_one_version_one_wins()
    {
        const int Rounds = 40;
        const int Writers = 4;
        string tag = await TagAsync(await Server.PutAsync(Path, [0]));
        for (int round = 0; round < Rounds; round++)
        {
            string known = tag;
            HttpResponseMessage[] answers = await Task.WhenAll(
                Enumerable.Range(0, Writers).Select(writer => SendAsync("PUT", Path, [(byte)writer], ("If-Match", known))));
            HttpResponseMessage winner = Assert.Single(answers, static answer => answer.StatusCode == HttpStatusCode.NoContent);
            Assert.Equal(Writers - 1, answers.Count(static answer => answer.StatusCode == HttpStatusCode.PreconditionFailed));
            tag = winner.Headers.ETag!.Tag;
        }
    }

    [Fact]
    public async Task A_refusal_says_when_to_try_again_and_what_logs_call_the_request()
    {
        JsonElement problem =
            await ProblemAsync(await Client.GetAsync("/v1/operations/none"), HttpStatusCode.NotFound, "operation_not_found");
        Assert.NotEqual("", problem.GetProperty("traceId").GetString());
        foreach (IHostedLifecycleService service in Server.Services.GetServices<IHostedService>().OfType<IHostedLifecycleService>())
            await service.StoppedAsync(default); // the pile closes
        HttpResponseMessage closed = await SendAsync("PUT", Path, [1]);
        problem = await ProblemAsync(closed, HttpStatusCode.ServiceUnavailable, "not_ready");
        Assert.Equal(1000, problem.GetProperty("retryAfterMs").GetInt32());
        Assert.Equal(TimeSpan.FromSeconds(1), closed.Headers.RetryAfter?.Delta);
    }

    private static Task<string> TagAsync(HttpResponseMessage response)
    {
        Assert.True(response.IsSuccessStatusCode, response.StatusCode.ToString());
        return Task.FromResult(response.Headers.ETag!.Tag);
    }

    private Task<HttpResponseMessage> SendAsync(string method, string path, byte[]? body, params (string, string)[] headers) =>
        Server.SendAsync(method, path, body, headers);
}
