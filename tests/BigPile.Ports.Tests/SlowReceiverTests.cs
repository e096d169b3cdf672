using System;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

/// <summary>What becomes of a receiver that is behind by the whole depth, and of the others: they lose nothing.</summary>
public sealed class SlowReceiverTests : IDisposable
{
    private const int Depth = 16;

    private readonly ArenaDirectory _directory = new();
    private readonly SharedArena _left;
    private readonly SharedArena _right;

    public SlowReceiverTests()
    {
        _left = _directory.Open();
        _right = _directory.Open();
    }

    public void Dispose()
    {
        _left.Dispose();
        _right.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(Depth)]
    public void It_loses_the_oldest_and_is_told_how_much(int depth)
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", depth: depth);
        using MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        using MulticastReceiver quick = _right.OpenMulticastReceiver("m");
        for (int number = 0; number < 40; number++)
        {
            Cast.Send(_left, sender, number);
            Assert.Equal([number], Cast.Drain(quick));
        }
        Assert.InRange(_left.Statistics.Objects, 1, depth);
        Assert.Equal(0, slow.MissedCount);
        Assert.Equal(Enumerable.Range(40 - depth, depth), Cast.Drain(slow));
        Assert.Equal((40 - depth, 0), (slow.MissedCount, quick.MissedCount));
    }

    [Fact]
    public void In_a_deep_port_it_loses_a_sixteenth_at_once()
    {
        using var directory = new ArenaDirectory();
        var options = new SharedArenaOptions { Directory = directory.Path, CapacityBytes = 1 << 20, MaxDepth = 64 };
        using SharedArena arena = SharedArena.Open("deep", options);
        using MulticastPort sender = arena.OpenMulticastPort("m");
        using MulticastReceiver slow = arena.OpenMulticastReceiver("m");
        Cast.Send(arena, sender, [.. Enumerable.Range(0, 64)]);
        using MulticastReceiver late = arena.OpenMulticastReceiver("m");
        Cast.Send(arena, sender, 64);
        Assert.Equal(Enumerable.Range(4, 61), Cast.Drain(slow));
        Assert.Equal([64], Cast.Drain(late));
        Assert.Equal((4, 0), (slow.MissedCount, late.MissedCount));
    }

    [Fact]
    public async Task It_is_waited_for_if_that_is_asked_for()
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", SlowReceiverPolicy.Wait, Depth);
        using MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        using MulticastReceiver quick = _right.OpenMulticastReceiver("m");
        Cast.Send(_left, sender, [.. Enumerable.Range(0, Depth)]);
        Assert.Equal(Depth, Cast.Drain(quick).Count);
        Assert.False(Cast.TrySend(_left, sender, Depth, TimeSpan.Zero));
        Assert.False(Cast.TrySend(_left, sender, Depth, TimeSpan.FromMilliseconds(60)));
        Task sending = SideBySide.Start(() => Cast.Send(_left, sender, Depth));
        Eventually.True(() => sending.Status == TaskStatus.Running);
        Assert.Equal(0, Cast.NumberOf(slow.Receive()));
        await sending;
        Assert.Equal([Depth], Cast.Drain(quick));
        using SharedObject sent = Cast.Make(_left, Depth + 1);
        Task sendingAsync = sender.SendAsync(sent);
        Assert.False(sendingAsync.IsCompleted);
        Assert.Equal(1, Cast.NumberOf(slow.Receive()));
        await sendingAsync;
        Task behind = SideBySide.Start(() => Cast.Send(_left, sender, Depth + 2));
        slow.Dispose(); // who goes is not waited for
        await behind;
        Assert.Equal([Depth + 1, Depth + 2], Cast.Drain(quick));
    }

    [Fact]
    public async Task A_sender_that_waits_is_told_of_its_own_end()
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", SlowReceiverPolicy.Wait, 1);
        using MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        Cast.Send(_left, sender, 1);
        Task sending = SideBySide.Start(() => Cast.Send(_left, sender, 2));
        Eventually.True(() => sending.Status == TaskStatus.Running);
        using SharedObject sent = Cast.Make(_left, 3);
        Task sendingAsync = sender.SendAsync(sent);
        sender.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => sending);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => sendingAsync);
        Assert.Equal([1], Cast.Drain(slow));
    }

    [Fact]
    public void It_fails_the_sender_if_that_is_asked_for_and_nobody_gets_anything()
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", SlowReceiverPolicy.Fail, 2);
        using MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        using MulticastReceiver quick = _right.OpenMulticastReceiver("m");
        Cast.Send(_left, sender, 0, 1);
        Assert.Equal([0, 1], Cast.Drain(quick));
        using SharedObject third = Cast.Make(_left, 2);
        Assert.Throws<PortFullException>(() => sender.Send(third));
        Assert.Throws<PortFullException>(() => sender.SendAsync(third).GetAwaiter().GetResult());
        Assert.False(sender.TrySend(third));
        Assert.True(third.IsWritable);
        Assert.Empty(Cast.Drain(quick));
        Assert.Equal([0, 1], Cast.Drain(slow));
        sender.Send(third);
        Assert.Equal([2], Cast.Drain(slow));
    }

    [Fact]
    public async Task It_is_cut_off_if_that_is_asked_for()
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", SlowReceiverPolicy.Disconnect, 2);
        using MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        using MulticastReceiver quick = _right.OpenMulticastReceiver("m");
        PortSelector selector = _right.CreateSelector();
        selector.Add(slow);
        for (int number = 0; number < 5; number++)
        {
            Cast.Send(_left, sender, number);
            Assert.Equal([number], Cast.Drain(quick));
        }
        Assert.Same(slow, selector.Select(TimeSpan.Zero));
        Assert.Throws<SlowReceiverException>(() => slow.TryReceive(out _));
        Assert.Throws<SlowReceiverException>(() => slow.Receive());
        await Assert.ThrowsAsync<SlowReceiverException>(() => slow.ReceiveAsync());
        Assert.Equal(1, sender.ReceiverCount);
        slow.Dispose();
        using MulticastReceiver again = _right.OpenMulticastReceiver("m");
        Cast.Send(_left, sender, 5);
        Assert.Equal([5], Cast.Drain(again));
        Assert.Equal([5], Cast.Drain(quick));
        sender.Dispose();
        Assert.Equal(0, _left.Statistics.Objects);
    }

    [Fact]
    public void What_is_kept_for_it_goes_with_it_when_room_is_short()
    {
        using MulticastPort sender = _left.OpenMulticastPort("m", depth: Depth);
        MulticastReceiver slow = _right.OpenMulticastReceiver("m");
        Cast.Send(_left, sender, [.. Enumerable.Range(0, Depth)]);
        Assert.Equal(Depth, _left.Statistics.Objects);
        slow.Dispose();
        using SharedObject all = _right.Allocate(_right.CapacityBytes); // the sender's process gives back when it is asked
        Assert.Equal(1, _left.Statistics.Objects);
    }
}
