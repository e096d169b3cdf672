using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Large reads through the full stack lease their entry, and give it back.</summary>
public sealed class ReadLeaseTests : StackReadTest
{
    [Fact]
    public async Task A_slow_client_loses_the_lease_and_nothing_else()
    {
        byte[] bytes = PutLarge(seed: 6);
        using RawClient client = await LeaseSlowlyAsync();
        using var leases = new LeaseCount(App);
        App.Table.Remove("large");
        App.Time.Advance(TimeSpan.FromSeconds(4.9));
        Assert.Equal(1, leases.Value);
        // The timer may be made a moment later than the lease.
        await Eventually.TrueAsync(() =>
        {
            App.Time.Advance(TimeSpan.FromSeconds(1));
            return leases.Value == 0;
        });
        byte[] received = await client.ReadToEndAsync();
        Assert.Equal(bytes, received[^bytes.Length..]);
    }

    [Fact]
    public async Task What_is_still_the_entrys_is_leased_for_as_long_as_a_client_takes()
    {
        byte[] bytes = PutLarge(seed: 7);
        using RawClient client = await LeaseSlowlyAsync();
        using var leases = new LeaseCount(App);
        var quota = App.Services.GetRequiredService<BufferQuota>();
        for (int i = 0; i < 10; i++)
        {
            App.Time.Advance(TimeSpan.FromSeconds(6));
            await Task.Yield();
            Assert.Equal(1, leases.Value);
            Assert.Equal(0, quota.UsedBytes);
        }
        byte[] received = await client.ReadToEndAsync();
        Assert.Equal(bytes, received[^bytes.Length..]);
    }

    [Fact]
    public async Task Who_holds_a_copy_and_takes_nothing_is_cut_off_and_copies_take_half_of_the_room()
    {
        App.Put("large", new byte[8 << 20]);
        using var leases = new LeaseCount(App);
        var quota = App.Services.GetRequiredService<BufferQuota>();
        var clients = new List<RawClient>();
        try
        {
            for (int i = 0; i < 40; i++)
            {
                clients.Add(await RawClient.ConnectAsync(App.Port, receiveBytes: 4_096));
                await clients[^1].SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
                Assert.StartsWith("HTTP/1.1 200 ", await clients[^1].ReadUntilAsync("\r\n\r\n"), StringComparison.Ordinal);
            }
            App.Table.Remove("large");
            await Eventually.TrueAsync(() =>
            {
                App.Time.Advance(TimeSpan.FromSeconds(1));
                return leases.Value == 0;
            });
            Assert.InRange(quota.UsedBytes, 0, quota.LimitBytes / 2);
            await Eventually.TrueAsync(() =>
            {
                App.Time.Advance(TimeSpan.FromSeconds(1));
                return quota.UsedBytes == 0;
            });
        }
        finally
        {
            clients.ForEach(static client => client.Dispose());
        }
    }

    [Fact]
    public async Task A_client_that_goes_away_leaves_no_lease()
    {
        App.Put("large", new byte[8 << 20]);
        using var leases = new LeaseCount(App);
        using (RawClient client = await RawClient.ConnectAsync(App.Port, receiveBytes: 4_096))
        {
            await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\n\r\n");
            await Eventually.TrueAsync(() => leases.Value != 0);
        }
        await Eventually.TrueAsync(() => leases.Value == 0);
    }

    private byte[] PutLarge(int seed)
    {
        var bytes = new byte[8 << 20];
        new Random(seed).NextBytes(bytes);
        App.Put("large", bytes);
        return bytes;
    }

    // A client that has asked for the large entry, and takes little of it.
    private async Task<RawClient> LeaseSlowlyAsync()
    {
        RawClient client = await RawClient.ConnectAsync(App.Port, receiveBytes: 4_096);
        await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        using var leases = new LeaseCount(App);
        await Eventually.TrueAsync(() => leases.Value != 0);
        return client;
    }
}
