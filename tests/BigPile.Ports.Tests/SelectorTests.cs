using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

public sealed class SelectorTests : IDisposable
{
    private const int Ports = 200;
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(20);

    private readonly ArenaDirectory _directory = new();
    private readonly SharedArena _left;
    private readonly SharedArena _right;
    private readonly PortSelector _selector;

    public SelectorTests()
    {
        var options = new SharedArenaOptions { Directory = _directory.Path, CapacityBytes = 1 << 20, GranuleBytes = 256, MaxDepth = 16 };
        _left = SharedArena.Open(ArenaDirectory.Name, options);
        _right = SharedArena.Open(ArenaDirectory.Name, options);
        _selector = _right.CreateSelector();
    }

    public void Dispose()
    {
        _left.Dispose();
        _right.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void Each_port_that_is_ready_comes_before_one_comes_again()
    {
        SendPort[] senders = OpenAll();
        Array.ForEach(senders, Send);
        for (int round = 0; round < 4; round++)
        {
            var seen = new HashSet<string>();
            for (int i = 0; i < Ports; i++)
            {
                ReceivePort ready = _selector.Select(TimeSpan.Zero)!;
                Assert.True(seen.Add(ready.Name));
                Assert.Equal(ReceiveResult.Received, ready.TryReceive(out SharedObject? received));
                received!.Dispose();
                Send(senders[int.Parse(ready.Name.AsSpan(1))]); // so that all are ready all the time
            }
        }
    }

    [Fact]
    public async Task Who_sleeps_is_woken_by_any_port()
    {
        int seed = TestLeg.Seed(9);
        var random = new Random(seed);
        SendPort[] senders = OpenAll();
        Assert.Null(_selector.Select(Short));
        for (int round = 0; round < 300; round++)
        {
            Task<ReceivePort?> selecting = SideBySide.Start(() => _selector.Select(Eventually.Timeout));
            if (round % 3 == 0)
                Eventually.True(() => selecting.Status == TaskStatus.Running);
            SendPort sender = senders[random.Next(Ports)];
            Send(sender);
            ReceivePort ready = (await selecting)!;
            Assert.Equal(sender.Name, ready.Name);
            Assert.Equal(ReceiveResult.Received, ready.TryReceive(out SharedObject? received));
            received!.Dispose();
        }
    }

    [Fact]
    public async Task Ports_come_and_go_while_one_selects()
    {
        Task<ReceivePort?> selecting = SideBySide.Start(() => _selector.Select(Eventually.Timeout));
        Eventually.True(() => selecting.Status == TaskStatus.Running);
        using SendPort sender = _left.OpenSendPort("late");
        using ReceivePort receiver = _right.OpenReceivePort("late");
        Send(sender);
        _selector.Add(receiver);
        Assert.Throws<ArgumentException>(() => _selector.Add(receiver));
        Assert.Same(receiver, await selecting);
        Assert.True(_selector.Remove(receiver));
        Assert.False(_selector.Remove(receiver));
        Assert.Null(_selector.Select(TimeSpan.Zero));
        _selector.Add(receiver);
        receiver.Dispose();
        Assert.Null(_selector.Select(TimeSpan.Zero));
        Assert.Equal(0, _selector.Count);
        using ReceivePort other = _left.OpenReceivePort("foreign");
        Assert.Throws<ArgumentException>(() => _selector.Add(other));
    }

    [Fact]
    public async Task The_end_and_the_death_of_a_sender_are_events()
    {
        using SendPort sender = _left.OpenSendPort("ends");
        using ReceivePort ending = _right.OpenReceivePort("ends");
        using ReceivePort lost = _right.OpenReceivePort("lost");
        _selector.Add(ending);
        _selector.Add(lost);
        using Process child = Child.Start("bind", _directory.Path, "lost");
        Assert.Equal("bound", await child.StandardOutput.ReadLineAsync());
        Assert.Same(lost, _selector.Select(Eventually.Timeout));
        lost.Receive()!.Dispose();
        Assert.Null(_selector.Select(Short));
        child.Kill();
        Assert.Same(lost, _selector.Select(Eventually.Timeout));
        Assert.Throws<PeerLostException>(() => lost.TryReceive(out _));
        _selector.Remove(lost);
        sender.Dispose();
        Assert.Same(ending, _selector.Select(Eventually.Timeout));
        Assert.Equal(ReceiveResult.Ended, ending.TryReceive(out _));
        _selector.Remove(ending);
        Task<ReceivePort?> selecting = SideBySide.Start(() => _selector.Select(Timeout.InfiniteTimeSpan));
        Eventually.True(() => selecting.Status == TaskStatus.Running);
        _right.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => selecting);
    }

    private SendPort[] OpenAll()
    {
        SendPort[] senders = [.. Enumerable.Range(0, Ports).Select(number => _left.OpenSendPort("p" + number))];
        foreach (SendPort sender in senders)
            _selector.Add(_right.OpenReceivePort(sender.Name));
        return senders;
    }

    private void Send(SendPort sender)
    {
        using SharedObject sent = _left.Allocate(100);
        sender.Send(sent);
    }
}
