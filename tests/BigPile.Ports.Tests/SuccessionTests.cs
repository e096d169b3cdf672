using System;
using System.Diagnostics;
using System.IO;

namespace BigPile.Ports.Tests;

/// <summary>Ends of ports that others, or the same process, have had before.</summary>
public sealed class SuccessionTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_port_whose_owner_was_found_dead_is_not_anothers_too(bool isSender)
    {
        using SharedArena arena = _directory.Open();
        KillOwnerOf("p", arena, isSender);
        using SendPort sender = arena.OpenSendPort("p");
        using SendPort otherSender = arena.OpenSendPort("q");
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using ReceivePort otherReceiver = arena.OpenReceivePort("q");
        SendOfLength(arena, sender.Send, 100);
        SendOfLength(arena, otherSender.Send, 200);
        Assert.Equal((100, 200), (LengthOfNext(receiver), LengthOfNext(otherReceiver)));
    }

    [Fact]
    public void A_multicast_port_whose_sender_was_found_dead_is_not_anothers_too()
    {
        using SharedArena arena = _directory.Open();
        using (Process child = Child.Start("cast", _directory.Path))
        {
            Assert.NotNull(child.StandardOutput.ReadLine());
            child.Kill();
            child.WaitForExit();
        }
        using MulticastPort sender = arena.OpenMulticastPort("m");
        using MulticastPort otherSender = arena.OpenMulticastPort("n");
        using MulticastReceiver receiver = arena.OpenMulticastReceiver("m");
        using MulticastReceiver otherReceiver = arena.OpenMulticastReceiver("n");
        SendOfLength(arena, sender.Send, 100);
        SendOfLength(arena, otherSender.Send, 200);
        Assert.Equal((100, 200), (LengthOfNext(receiver), LengthOfNext(otherReceiver)));
    }

    [Fact]
    public void What_is_on_the_way_outlives_an_arena_that_had_the_port_open_twice()
    {
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using ReceivePort receiver = right.OpenReceivePort("p");
        using (SendPort first = left.OpenSendPort("p"))
        {
            SendOfLength(left, first.Send, 1);
            SendOfLength(left, first.Send, 2);
        }
        using (SendPort second = left.OpenSendPort("p"))
            SendOfLength(left, second.Send, 3);
        Assert.Equal((1, 2), (LengthOfNext(receiver), LengthOfNext(receiver)));
        Assert.Null(right.TryAllocate(right.CapacityBytes)); // has the other one give back
        left.Dispose();
        Assert.Null(right.TryAllocate(right.CapacityBytes));
        Assert.Equal(3, LengthOfNext(receiver));
        Assert.Equal(ReceiveResult.Ended, receiver.TryReceive(out _));
        right.Allocate(right.CapacityBytes).Dispose();
    }

    [Fact]
    public void What_is_on_the_way_to_many_outlives_an_arena_that_had_the_port_open_twice()
    {
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using MulticastReceiver receiver = right.OpenMulticastReceiver("m");
        using (MulticastPort first = left.OpenMulticastPort("m"))
        {
            SendOfLength(left, first.Send, 1);
            SendOfLength(left, first.Send, 2);
        }
        using (MulticastPort second = left.OpenMulticastPort("m"))
            SendOfLength(left, second.Send, 3);
        Assert.Equal((1, 2), (LengthOfNext(receiver), LengthOfNext(receiver)));
        Assert.Null(right.TryAllocate(right.CapacityBytes));
        left.Dispose();
        Assert.Null(right.TryAllocate(right.CapacityBytes));
        Assert.Equal(3, LengthOfNext(receiver));
        Assert.Equal(ReceiveResult.Ended, receiver.TryReceive(out _));
        right.Allocate(right.CapacityBytes).Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_sent_before_anybody_came_waits_for_the_first(bool isKilled)
    {
        using SharedArena arena = _directory.Open();
        if (isKilled)
            KillOwnerOf("p", arena, isSender: true, isReceived: false);
        else
        {
            using SharedArena other = _directory.Open();
            SendOfLength(other, other.OpenSendPort("p").Send, 10_000);
        }
        Assert.Null(arena.TryAllocate(arena.CapacityBytes)); // finds the dead
        using ReceivePort receiver = arena.OpenReceivePort("p");
        Assert.Equal(10_000, LengthOfNext(receiver));
        receiver.Dispose();
        arena.Allocate(arena.CapacityBytes).Dispose();
    }

    [Fact]
    public void What_nobody_comes_for_makes_room_for_the_65th_process()
    {
        using SharedArena arena = _directory.Open();
        for (int process = 0; process < 15; process++)
        {
            using SharedArena other = _directory.Open();
            SendOfLength(other, other.OpenSendPort($"p{process}").Send, 10);
        }
        Assert.Equal(15, arena.Statistics.Objects);
        var opened = new SharedArena[63];
        for (int process = 0; process < opened.Length; process++)
            opened[process] = _directory.Open();
        Assert.Equal((0, 64), (arena.Statistics.Objects, arena.Statistics.Processes));
        Assert.Throws<IOException>(() => _directory.Open());
        Array.ForEach(opened, static one => one.Dispose());
    }

    // Kills it, and returns before any process has detected its death.
    private void KillOwnerOf(string port, SharedArena arena, bool isSender, bool isReceived = true)
    {
        using Process child = Child.Start(isSender ? "bind" : "await", _directory.Path, port);
        Assert.NotNull(child.StandardOutput.ReadLine());
        if (isReceived)
        {
            using IDisposable end = isSender ? arena.OpenReceivePort(port) : arena.OpenSendPort(port);
            if (end is ReceivePort receiver)
                Assert.Equal(10_000, LengthOfNext(receiver));
        }
        child.Kill();
        child.WaitForExit();
    }

    private static void SendOfLength(SharedArena arena, Action<SharedObject> send, int lengthBytes)
    {
        using SharedObject sent = arena.Allocate(lengthBytes);
        send(sent);
    }

    private static long LengthOfNext(ReceivePort receiver)
    {
        receiver.TryReceive(Eventually.Timeout / 10, out SharedObject? received);
        using (received)
            return received?.LengthBytes ?? -1;
    }
}
