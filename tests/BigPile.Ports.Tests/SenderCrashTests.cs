using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.Ports.Tests;

/// <summary>A sender dies while a receiver joins: what the receivers have yet to receive is kept.</summary>
public sealed class SenderCrashTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    /// <summary>The floor was raised, a receiver had joined below it, and the sender died before it lowered the floor again.</summary>
    [Fact]
    public void A_successor_keeps_what_a_receiver_below_the_floor_has_yet_to_receive()
    {
        using SharedArena arena = _directory.Open();
        using MulticastReceiver first = arena.OpenMulticastReceiver("m", depth: 4);
        using Process sender = Start();
        Order(sender, "send 0 1 2", "done");
        Assert.Equal([0, 1, 2], Cast.Drain(first));
        Order(sender, "stop SlowestFound FloorRaised", "done");
        Order(sender, "send 3", "at SlowestFound");
        using MulticastReceiver second = arena.OpenMulticastReceiver("m", MulticastStart.Oldest, depth: 4);
        Order(sender, "", "at FloorRaised");
        Kill(sender);
        using MulticastPort successor = arena.OpenMulticastPort("m", SlowReceiverPolicy.Wait, depth: 4);
        List<SharedObject> others = Fill(arena);
        Assert.Equal([0, 1, 2], Cast.Drain(second));
        others.ForEach(static one => one.Dispose());
        Cast.Send(arena, successor, 3);
        Assert.Equal([3], Cast.Drain(first));
        Assert.Equal([3], Cast.Drain(second));
        Assert.Equal(0, arena.Statistics.Objects);
    }

    /// <summary>The dead receiver's position is older than all that the sender holds, and the sender is found dead first.</summary>
    [Fact]
    public void A_receiver_that_died_while_it_joined_takes_nothing_from_the_others()
    {
        using SharedArena arena = _directory.Open();
        using MulticastReceiver first = arena.OpenMulticastReceiver("m", depth: 4);
        using Process sender = Start();
        using Process joining = Start();
        Order(sender, "send", "done");
        Order(joining, "stop MemberPlaced MemberAdded", "done");
        Order(joining, "join", "at MemberPlaced");
        Order(sender, "send 0 1", "done");
        Assert.Equal([0, 1], Cast.Drain(first));
        Order(sender, "send 2", "done");
        Order(joining, "", "at MemberAdded");
        Order(sender, "send 3 4 5", "done");
        Kill(joining);
        Kill(sender);
        List<SharedObject> others = Fill(arena); // finds the dead
        Assert.Equal([2, 3, 4, 5], DrainOfDead(first));
        others.ForEach(static one => one.Dispose());
        Assert.Equal(0, arena.Statistics.Objects);
    }

    /// <summary>The sender has closed the port, and its process lives; the receiver died.</summary>
    [Fact]
    public void What_a_closed_sender_had_sent_goes_with_a_dead_receiver()
    {
        using SharedArena arena = _directory.Open();
        using Process receiver = Child.Start("await", _directory.Path, "p");
        Assert.Equal("awaits", receiver.StandardOutput.ReadLine());
        using (SendPort port = arena.OpenSendPort("p"))
        using (SharedObject sent = arena.Allocate(10_000))
            port.Send(sent);
        Kill(receiver);
        Assert.Equal(1, arena.Statistics.Objects);
        using SharedArena detecting = _directory.Open();
        Eventually.True(() => arena.Statistics.Objects == 0);
    }

    private static List<int> DrainOfDead(MulticastReceiver receiver)
    {
        var numbers = new List<int>();
        Assert.Throws<PeerLostException>((Action)(() =>
        {
            while (receiver.Receive() is { } received)
                numbers.Add(Cast.NumberOf(received));
        }));
        return numbers;
    }

    private static List<SharedObject> Fill(SharedArena arena)
    {
        var made = new List<SharedObject>();
        while (arena.TryAllocate(1) is { } one)
        {
            one.WritableBytes[0] = 99;
            made.Add(one);
        }
        return made;
    }

    private Process Start()
    {
        Process started = Child.Start("obey", _directory.Path);
        Assert.Equal("done", started.StandardOutput.ReadLine());
        return started;
    }

    private static void Order(Process child, string order, string answer)
    {
        child.StandardInput.WriteLine(order);
        Assert.Equal(answer, child.StandardOutput.ReadLine());
    }

    private static void Kill(Process child)
    {
        child.Kill();
        child.WaitForExit();
    }
}
