using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.Hosting;

namespace BigPile.Server.Tests.Api;

/// <summary>The progress of operations, read while they are blocked at a known point.</summary>
public sealed class OperationProgressTests : ServerTest
{
    private const int Entries = 800;
    private const int EntryBytes = 16_000;

    // A log without space for the entries: a flush writes the segments.
    protected override string[] Settings => ["--Pile:FlushLogBytes=1m"];

    [Theory]
    [InlineData("verify", "pages")]
    [InlineData("compact", "pages")]
    [InlineData("flush", "bytes")]
    [InlineData("purge", "buckets")]
    public async Task An_action_tells_how_far_it_is_while_it_runs_and_that_all_is_done_when_it_ends(string action, string unit)
    {
        await FillAsync();
        using var hold = new Hold(Server.Service<OperationStore>());
        string location = await BeginAsync(action);
        PileProgress held = await hold.ReachedAsync();
        JsonElement running = await GetJsonAsync(location);
        Assert.Equal((action, "running"), (running.GetProperty("kind").GetString(), running.GetProperty("state").GetString()));
        CheckProgress(running, held, unit);
        Assert.InRange(held.Fraction, 0.2, 0.8);
        CheckProgress(
            (await GetJsonAsync("/v1/operations")).GetProperty("operations").EnumerateArray()
                .Single(item => item.GetProperty("id").GetString() == running.GetProperty("id").GetString()),
            held, unit);
        hold.Release();
        JsonElement done = await EndAsync(location);
        Assert.Equal("done", done.GetProperty("state").GetString());
        CheckProgress(done, new PileProgress(held.Total, held.Total), unit);
        if (action == "verify")
            Assert.InRange(done.GetProperty("result").GetProperty("pages").GetInt64(), 1, held.Total);
        if (action == "purge")
            Assert.Equal(Entries, done.GetProperty("result").GetProperty("removed").GetProperty("t").GetInt32());
    }

    [Theory]
    [InlineData("verify")]
    [InlineData("compact")]
    public async Task An_action_that_is_stopped_keeps_how_far_it_came(string action)
    {
        await FillAsync();
        using var hold = new Hold(Server.Service<OperationStore>());
        string location = await BeginAsync(action);
        PileProgress held = await hold.ReachedAsync();
        Assert.Equal(HttpStatusCode.Accepted, (await Client.DeleteAsync(location)).StatusCode);
        hold.Release();
        JsonElement stopped = await EndAsync(location);
        Assert.Equal("cancelled", stopped.GetProperty("state").GetString());
        CheckProgress(stopped, held, "pages");
    }

    [Fact]
    public async Task An_action_that_can_not_be_stopped_goes_on()
    {
        await FillAsync();
        using var hold = new Hold(Server.Service<OperationStore>());
        string location = await BeginAsync("purge");
        _ = await hold.ReachedAsync();
        await ProblemAsync(await Client.DeleteAsync(location), HttpStatusCode.Conflict, "operation_ended");
        hold.Release();
        Assert.Equal("done", (await EndAsync(location)).GetProperty("state").GetString());
    }

    [Theory]
    [InlineData("verify")]
    [InlineData("compact")]
    [InlineData("purge")]
    public async Task A_stop_of_the_service_stops_what_runs(string action)
    {
        await FillAsync();
        OperationStore operations = Server.Service<OperationStore>();
        using var hold = new Hold(operations);
        _ = await BeginAsync(action);
        _ = await hold.ReachedAsync();
        Task stopped = Server.StopAsync();
        await StoppingAsync(Server.Service<IHostApplicationLifetime>());
        hold.Release();
        await stopped;
        // The pile closes when no thread is in a critical region; the operation's result is recorded outside.
        await Eventually.TrueAsync(() => operations.All[0].State != OperationState.Running);
        Assert.Equal(OperationState.Cancelled, operations.All[0].State);
    }

    [Theory]
    [InlineData("later")]
    [InlineData("t")]
    public async Task A_purge_passes_over_a_table_that_is_dropped_meanwhile(string dropped)
    {
        await FillAsync();
        (await Server.PutAsync("/v1/tables/later/entries/k", [1])).EnsureSuccessStatusCode();
        using var hold = new Hold(Server.Service<OperationStore>());
        string location = await BeginAsync("purge");
        _ = await hold.ReachedAsync();
        Task<HttpResponseMessage> drop = Client.DeleteAsync("/v1/tables/" + dropped);
        await Eventually.TrueAsync(async () => drop.IsCompleted
            || (await Client.GetAsync("/v1/tables/" + dropped)).StatusCode == HttpStatusCode.NotFound);
        hold.Release();
        Assert.Equal(HttpStatusCode.NoContent, (await drop).StatusCode);
        JsonElement done = await EndAsync(location);
        Assert.Equal("done", done.GetProperty("state").GetString());
        string other = dropped == "t" ? "later" : "t";
        Assert.True(done.GetProperty("result").GetProperty("removed").TryGetProperty(other, out _));
    }

    [Fact]
    public async Task A_warm_up_has_the_same_form_beside_its_own_fields()
    {
        JsonElement progress = (await EndAsync(await BeginAsync("warm"))).GetProperty("progress");
        Assert.Equal("bytes", progress.GetProperty("unit").GetString());
        Assert.Equal(1, progress.GetProperty("fraction").GetDouble());
        Assert.Equal(progress.GetProperty("total").GetInt64(), progress.GetProperty("totalBytes").GetInt64());
        Assert.Equal(0, progress.GetProperty("remainingBytes").GetInt64());
    }

    [Fact]
    public void Before_there_is_a_total_nothing_is_done()
    {
        var progress = new OperationProgress("pages", null);
        Assert.Equal("""{"done":0,"unit":"pages","fraction":0}""", progress.Describe().ToJsonString());
        progress.Report(new PileProgress(0, 0));
        Assert.Equal("""{"done":0,"total":0,"unit":"pages","fraction":1}""", progress.Describe().ToJsonString());
    }

    [Fact]
    public async Task The_description_has_what_an_operation_holds()
    {
        await FillAsync();
        JsonElement done = await EndAsync(await BeginAsync("verify"));
        JsonElement document = await GetJsonAsync("/openapi/v1.json");
        JsonElement schemas = document.GetProperty("components").GetProperty("schemas");
        foreach (JsonProperty property in done.EnumerateObject())
            Assert.True(schemas.GetProperty("Operation").GetProperty("properties").TryGetProperty(property.Name, out _), property.Name);
        foreach (JsonProperty property in done.GetProperty("progress").EnumerateObject())
            Assert.True(schemas.GetProperty("Progress").GetProperty("properties").TryGetProperty(property.Name, out _), property.Name);
        Assert.Equal("#/components/schemas/Operation", document.GetProperty("paths").GetProperty("/v1/operations/{id}").GetProperty("get")
            .GetProperty("responses").GetProperty("200").GetProperty("content").GetProperty("application/json")
            .GetProperty("schema").GetProperty("$ref").GetString());
    }

    private async Task FillAsync()
    {
        for (int i = 0; i < Entries; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/{i}", new byte[EntryBytes])).EnsureSuccessStatusCode();
        Pile pile = Server.Service<PileCache>().Pile;
        Assert.InRange(pile.Statistics.SegmentCount, 3, 10);
    }

    private async Task<string> BeginAsync(string action)
    {
        HttpResponseMessage begun = await Client.PostAsync("/v1/admin:" + action, null);
        Assert.Equal(HttpStatusCode.Accepted, begun.StatusCode);
        return begun.Headers.Location!.OriginalString;
    }

    private Task<JsonElement> EndAsync(string location) => Eventually.GetAsync<JsonElement>(async () =>
        await GetJsonAsync(location) is var operation && operation.GetProperty("state").GetString() != "running" ? operation : null);

    private static async Task StoppingAsync(IHostApplicationLifetime lifetime)
    {
        var stopping = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration registration = lifetime.ApplicationStopping.Register(stopping.SetResult);
        await stopping.Task.WaitAsync(Eventually.Timeout);
    }

    private static void CheckProgress(JsonElement operation, PileProgress expected, string unit)
    {
        JsonElement progress = operation.GetProperty("progress");
        Assert.Equal(
            (expected.Done, expected.Total, unit, expected.Fraction),
            (progress.GetProperty("done").GetInt64(), progress.GetProperty("total").GetInt64(), progress.GetProperty("unit").GetString()!,
                progress.GetProperty("fraction").GetDouble()));
    }

    /// <summary>Holds the next action at its first report beyond a fifth.</summary>
    private sealed class Hold : IDisposable
    {
        private readonly TaskCompletionSource<PileProgress> _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _release = new();

        internal Hold(OperationStore operations) => operations.Progressed = progress =>
        {
            if (progress.Fraction < 0.2)
                return;
            _reached.TrySetResult(progress);
            _release.Wait();
        };

        internal Task<PileProgress> ReachedAsync() => _reached.Task.WaitAsync(Eventually.Timeout);

        internal void Release() => _release.Set();

        // The event stays: the action may be in it still, and needs no disposal while nobody asked for its handle.
        public void Dispose() => _release.Set();
    }
}
