using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Health;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace BigPile.AspNetCore.Tests;

public sealed class HealthTests
{
    private static readonly Dictionary<string, object> NoData = [];

    [Fact]
    public async Task A_pile_is_degraded_while_it_opens_healthy_when_it_is_open_and_unhealthy_when_it_is_closed()
    {
        using var release = new ManualResetEventSlim();
        TestHost host = TestHost.Make(services =>
        {
            services.AddBigPile(options =>
            {
                TestHost.Small(options);
                options.StartWait = TimeSpan.Zero;
                options.Opened = _ => release.Wait();
            }).AddTable<string, int>("t").AsDistributedCache().WithHealthCheck();
        });
        await host.Host.StartAsync();
        HealthReportEntry entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains(entry.Data["state"], new object[] { "Opening", "Preparing" });
        Assert.Contains("ready", entry.Tags);
        Task<byte[]?> early = host.Service<IDistributedCache>().GetAsync("k"); // waits for the pile
        Assert.False(early.IsCompleted);
        using var source = new CancellationTokenSource();
        Task<byte[]?> cancelled = host.Service<IDistributedCache>().GetAsync("k", source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);

        release.Set();
        await host.Service<PileHost>().Opening;
        Assert.Null(await early);
        entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.Equal(2, entry.Data["tables"]);
        Assert.Equal(1.0, entry.Data["progress"]);
        Assert.Equal(0L, entry.Data["backgroundFailures"]);
        host.Service<PileHost>().Cache.Pile.Fail("the flush by interval", new UnauthorizedAccessException("denied"));
        entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.Equal(1L, entry.Data["backgroundFailures"]);
        Assert.Equal("the flush by interval: denied", entry.Data["lastBackgroundFailure"]);

        await host.Host.StopAsync();
        entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, entry.Status);
        Assert.Equal("Closed", entry.Data["state"]);
        await host.DisposeAsync();
    }

    [Fact]
    public async Task A_pile_that_cant_be_opened_has_the_status_that_was_asked_for_and_its_reason()
    {
        using var directory = new TemporaryDirectory();
        using PileCache owner = TestCache.Open(directory.Path);
        TestHost host = TestHost.Make(services => services.AddBigPile("p", options =>
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
        }).WithHealthCheck("mine", HealthStatus.Degraded, ["a"]));
        await Assert.ThrowsAsync<PileStorageException>(async () =>
        {
            await host.Host.StartAsync();
            await host.Service<PileHost>("p").Opening;
        });
        HealthReportEntry entry = await CheckAsync(host, "mine");
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.IsType<PileStorageException>(entry.Exception);
        Assert.Equal(["a"], entry.Tags);
        host.Host.Dispose();
    }

    [SmallDiskFact]
    public async Task A_pile_is_degraded_from_a_flush_without_room_until_one_that_goes_well()
    {
        using var directory = new TemporaryDirectory();
        using var disk = new SmallDisk(Path.Combine(directory.Path, "disk"), 24 << 20);
        await using TestHost host = await TestHost.StartAsync(services => services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = Path.Combine(disk.Path, "pile");
        }).WithHealthCheck());
        Pile pile = host.Service<PileHost>().Cache.Pile;
        pile.Put("text");
        string ballast = Path.Combine(disk.Path, "ballast");
        File.WriteAllBytes(ballast, new byte[disk.FreeBytes]);
        pile.Flush();
        HealthReportEntry entry = await CheckAsync(host);
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Contains(Path.Combine(disk.Path, "pile", "log-"), entry.Description, StringComparison.Ordinal);
        Assert.Contains("bytes of the disk", entry.Description, StringComparison.Ordinal);
        Assert.Contains("Free some disk space", entry.Description, StringComparison.Ordinal);
        File.Delete(ballast);
        pile.Put("text");
        pile.Flush();
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public void An_open_pile_is_as_healthy_as_its_index()
    {
        var rebuilding = new TaskCompletionSource();
        Assert.Equal(HealthStatus.Degraded, PileHealthCheck.Of(rebuilding.Task, HealthStatus.Unhealthy, NoData).Status);
        rebuilding.SetResult();
        Assert.Equal(HealthStatus.Healthy, PileHealthCheck.Of(rebuilding.Task, HealthStatus.Unhealthy, NoData).Status);

        var failed = Task.FromException(new PileStorageException("gone"));
        HealthCheckResult result = PileHealthCheck.Of(failed, HealthStatus.Unhealthy, NoData);
        Assert.Equal(HealthStatus.Unhealthy, result.Status);
        Assert.Equal("gone", result.Exception!.Message);
    }

    private static async Task<HealthReportEntry> CheckAsync(TestHost host, string name = "bigpile") =>
        (await host.Service<HealthCheckService>().CheckHealthAsync()).Entries[name];
}
