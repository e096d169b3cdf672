using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

public sealed class OperationTests : ServerTest
{
    [Theory]
    [InlineData("flush")]
    [InlineData("compact")]
    [InlineData("verify")]
    [InlineData("warm")]
    public async Task An_action_is_an_operation_that_ends(string action)
    {
        for (int i = 0; i < 100; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/{i}", new byte[100])).EnsureSuccessStatusCode();
        JsonElement done = await RunAsync("/v1/admin:" + action);
        Assert.Equal((action, "done"), (done.GetProperty("kind").GetString(), done.GetProperty("state").GetString()));
        Assert.True(done.GetProperty("endedAt").GetDateTimeOffset() >= done.GetProperty("startedAt").GetDateTimeOffset());
        if (action == "verify")
        {
            Assert.True(done.GetProperty("result").GetProperty("isSound").GetBoolean());
            Assert.True(done.GetProperty("result").GetProperty("blocks").GetInt64() >= 100);
        }
        Assert.Contains(
            (await GetJsonAsync("/v1/operations")).GetProperty("operations").EnumerateArray(),
            item => item.GetProperty("id").GetString() == done.GetProperty("id").GetString());
        await ProblemAsync(
            await Client.DeleteAsync("/v1/operations/" + done.GetProperty("id").GetString()), HttpStatusCode.Conflict, "operation_ended");
    }

    [Fact]
    public async Task Purge_empties_one_table_or_all()
    {
        foreach (string table in new[] { "a", "b", "c" })
            (await Server.PutAsync($"/v1/tables/{table}/entries/k", [1])).EnsureSuccessStatusCode();
        JsonElement done = await RunAsync("/v1/admin:purge?table=a");
        Assert.Equal(1, done.GetProperty("result").GetProperty("removed").GetProperty("a").GetInt32());
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync("/v1/tables/a/entries/k")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await Client.GetAsync("/v1/tables/b/entries/k")).StatusCode);
        _ = await RunAsync("/v1/admin:purge");
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync("/v1/tables/b/entries/k")).StatusCode);
        await ProblemAsync(await Client.PostAsync("/v1/admin:purge?table=none", null), HttpStatusCode.NotFound, "table_not_found");
        await ProblemAsync(await Client.PostAsync("/v1/admin:flush?table=a", null), HttpStatusCode.BadRequest, "query_invalid");
        await ProblemAsync(await Client.PostAsync("/v1/admin:explode", null), HttpStatusCode.NotFound, "route_not_found");
        await ProblemAsync(await Client.GetAsync("/v1/admin:flush"), HttpStatusCode.MethodNotAllowed, "method_not_allowed");
    }

    [Fact]
    public void The_history_is_bounded_and_what_runs_stays_in_it()
    {
        var store = new OperationStore(TimeProvider.System);
        Operation running = store.TryBegin("long", null, static () => null, int.MaxValue)!;
        for (int i = 0; i < 3 * OperationStore.MaxKept; i++)
            store.Complete(store.TryBegin("short", "t", static () => null, int.MaxValue)!, new JsonObject());
        Assert.Equal(OperationStore.MaxKept, store.All.Count);
        Assert.Same(running, store.Find(running.Id));
        Assert.Equal(1, store.RunningCount);
    }

    [Fact]
    public async Task An_operation_that_runs_tells_its_progress_and_can_be_stopped()
    {
        OperationStore store = Server.Service<OperationStore>();
        Operation running = null!;
        running = store.TryBegin("long", "t", static () => new JsonObject { ["records"] = 5 }, int.MaxValue, () => store.Cancel(running))!;
        JsonElement document = await GetJsonAsync("/v1/operations/" + running.Id);
        Assert.Equal(("running", "t", 5), (
            document.GetProperty("state").GetString(), document.GetProperty("table").GetString(),
            document.GetProperty("progress").GetProperty("records").GetInt32()));
        Assert.Equal(HttpStatusCode.Accepted, (await Client.DeleteAsync("/v1/operations/" + running.Id)).StatusCode);
        Assert.Equal("cancelled", (await GetJsonAsync("/v1/operations/" + running.Id)).GetProperty("state").GetString());

        Operation failing = store.TryBegin("bad", null, static () => null, int.MaxValue)!;
        store.Fail(failing, ProblemCatalog.PileFull);
        Assert.Equal(
            "pile_full", (await GetJsonAsync("/v1/operations/" + failing.Id)).GetProperty("error").GetProperty("code").GetString());
    }

    [Fact]
    public async Task As_many_run_at_once_as_may()
    {
        OperationStore store = Server.Service<OperationStore>();
        foreach (int _ in Enumerable.Range(0, 8))
            store.TryBegin("long", null, static () => null, int.MaxValue);
        HttpResponseMessage refused = await Client.PostAsync("/v1/admin:flush", null);
        await ProblemAsync(refused, HttpStatusCode.TooManyRequests, "operations_busy");
        Assert.Equal(TimeSpan.FromSeconds(1), refused.Headers.RetryAfter?.Delta);
    }

    private async Task<JsonElement> RunAsync(string path)
    {
        HttpResponseMessage begun = await Client.PostAsync(path, null);
        Assert.Equal(HttpStatusCode.Accepted, begun.StatusCode);
        string location = begun.Headers.Location!.OriginalString;
        return await Eventually.GetAsync<JsonElement>(async () =>
            await GetJsonAsync(location) is var operation && operation.GetProperty("state").GetString() != "running" ? operation : null);
    }
}
