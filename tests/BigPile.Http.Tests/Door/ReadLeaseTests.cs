using System;
using System.Threading.Tasks;

namespace BigPile.Http.Tests.Door;

/// <summary>Large reads through the full stack lease their entry, and give it back.</summary>
public sealed class ReadLeaseTests : StackReadTest
{
    [Fact]
    public async Task A_slow_client_loses_the_lease_and_nothing_else()
    {
        var bytes = new byte[8 << 20];
        new Random(6).NextBytes(bytes);
        App.Put("large", bytes);
        Pile pile = App.Table.Core.Pile;
        using RawClient client = await RawClient.ConnectAsync(App.Port, receiveBytes: 4_096);
        await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        await Eventually.TrueAsync(() => pile.LeaseCount != 0);
        App.Table.Remove("large");
        App.Time.Advance(TimeSpan.FromSeconds(4.9));
        Assert.Equal(1, pile.LeaseCount);
        // The timer may be made a moment later than the lease.
        await Eventually.TrueAsync(() =>
        {
            App.Time.Advance(TimeSpan.FromSeconds(1));
            return pile.LeaseCount == 0;
        });
        byte[] received = await client.ReadToEndAsync();
        Assert.Equal(bytes, received[^bytes.Length..]);
    }

    [Fact]
    public async Task A_client_that_goes_away_leaves_no_lease()
    {
        App.Put("large", new byte[8 << 20]);
        Pile pile = App.Table.Core.Pile;
        using (RawClient client = await RawClient.ConnectAsync(App.Port, receiveBytes: 4_096))
        {
            await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\n\r\n");
            await Eventually.TrueAsync(() => pile.LeaseCount != 0);
        }
        await Eventually.TrueAsync(() => pile.LeaseCount == 0);
    }
}
