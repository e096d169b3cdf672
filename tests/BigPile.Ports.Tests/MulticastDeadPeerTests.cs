using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>A sender to many is killed, or one of the many, wherever it was: the others go on, and nothing stays behind.</summary>
public sealed class MulticastDeadPeerTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void A_dead_receiver_does_not_stop_a_sender_that_waits()
    {
        using SharedArena arena = _directory.Open();
        using MulticastPort sender = arena.OpenMulticastPort("m", SlowReceiverPolicy.Wait, 4);
        using MulticastReceiver receiver = arena.OpenMulticastReceiver("m");
        using Process child = StartAndHear("listen", "listens");
        Assert.Equal(3, sender.ReceiverCount); // two of the child's
        Cast.Send(arena, sender, 0, 1, 2, 3);
        Assert.Equal([0, 1, 2, 3], Cast.Drain(receiver));
        Assert.False(Cast.TrySend(arena, sender, 4, TimeSpan.Zero));
        Task sending = SideBySide.Start(() => Cast.Send(arena, sender, 4));
        Kill(child);
        sending.Wait(Eventually.Timeout);
        Assert.Equal([4], Cast.Drain(receiver));
        Assert.Equal(1, sender.ReceiverCount);
        sender.Dispose();
        Assert.Equal((0, 1), (arena.Statistics.Objects, arena.Statistics.Processes));
    }

    [Theory]
    [InlineData(nameof(SlowReceiverPolicy.Fail))]
    [InlineData(nameof(SlowReceiverPolicy.Wait))]
    [InlineData(nameof(SlowReceiverPolicy.DropOldest))]
    public void A_dead_receiver_does_not_stop_a_sender_that_never_waits(string policy)
    {
        using SharedArena arena = _directory.Open();
        using MulticastPort sender = arena.OpenMulticastPort("m", Enum.Parse<SlowReceiverPolicy>(policy), 4);
        using Process child = StartAndHear("listen", "listens");
        Cast.Send(arena, sender, 0, 1, 2, 3);
        Kill(child);
        Eventually.True(() => Cast.TrySend(arena, sender, 4, TimeSpan.Zero) && sender.ReceiverCount == 0);
        sender.Dispose();
        Assert.Equal((0, 1), (arena.Statistics.Objects, arena.Statistics.Processes));
    }

    /// <summary>It sleeps on the relayed event of all receivers, and does not wake the next one.</summary>
    [Fact]
    public async Task A_receiver_that_is_stopped_does_not_stop_the_others()
    {
        using SharedArena arena = _directory.Open();
        using MulticastPort sender = arena.OpenMulticastPort("m");
        using Process child = StartAndHear("take", "takes");
        Process.Start("kill", ["-STOP", child.Id.ToString()]).WaitForExit();
        MulticastReceiver[] receivers = [arena.OpenMulticastReceiver("m"), arena.OpenMulticastReceiver("m")];
        for (int round = 0; round < 50; round++)
        {
            Task<SharedObject?>[] receiving = [.. Array.ConvertAll(receivers, static one => SideBySide.Start(one.Receive))];
            Eventually.True(() => Array.TrueForAll(receiving, static one => one.Status == TaskStatus.Running));
            Cast.Send(arena, sender, round);
            foreach (SharedObject? received in await Task.WhenAll(receiving))
                Assert.Equal(round, Cast.NumberOf(received));
        }
        Kill(child);
    }

    [Fact]
    public async Task Who_waits_without_a_thread_for_a_dead_receiver_goes_on()
    {
        using SharedArena arena = _directory.Open();
        using MulticastPort sender = arena.OpenMulticastPort("m", SlowReceiverPolicy.Wait, 1);
        using Process child = StartAndHear("listen", "listens");
        Cast.Send(arena, sender, 0);
        using SharedObject sent = Cast.Make(arena, 1);
        Task sending = sender.SendAsync(sent);
        Assert.False(sending.IsCompleted);
        Kill(child);
        await sending;
        Assert.True(sender.WaitForReceivers(0, TimeSpan.Zero));
        Assert.Equal(0, sender.ReceiverCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_a_dead_sender_had_sent_comes_to_all(bool isMutation)
    {
        using var mutation = new MutationScope(isMutation ? "frees-in-flight" : null);
        using SharedArena arena = _directory.Open();
        using MulticastReceiver quick = arena.OpenMulticastReceiver("m");
        using MulticastReceiver slow = arena.OpenMulticastReceiver("m");
        using Process child = StartAndHear("cast", "sent");
        Assert.Equal([0, 1, 2], Cast.Drain(quick));
        Kill(child);
        Assert.Throws<PeerLostException>(() => quick.Receive());
        if (isMutation)
        {
            using SharedObject? whole = arena.TryAllocate(arena.CapacityBytes);
            Assert.Throws<System.IO.InvalidDataException>(() => slow.Receive());
            return;
        }
        Assert.Equal(3, arena.Statistics.Objects);
        using MulticastReceiver late = arena.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Assert.Throws<PeerLostException>(() => late.TryReceive(out _));
        var seen = new List<int>();
        Assert.Throws<PeerLostException>(() => DrainInto(slow, seen));
        Assert.Equal([0, 1, 2], seen);
        Assert.Equal((0, 1), (arena.Statistics.Objects, arena.Statistics.Processes));
        using MulticastPort successor = arena.OpenMulticastPort("m");
        Cast.Send(arena, successor, 3);
        Assert.Equal([3], Cast.Drain(quick));
        Assert.Equal([3], Cast.Drain(late));
    }

    [Fact]
    public void What_a_dead_sender_had_sent_goes_with_the_last_receiver()
    {
        using SharedArena arena = _directory.Open();
        MulticastReceiver receiver = arena.OpenMulticastReceiver("m");
        using Process child = StartAndHear("cast", "sent");
        Kill(child);
        using SharedArena other = _directory.Open(); // cleans
        Assert.Equal(3, arena.Statistics.Objects);
        receiver.Dispose();
        Assert.Equal(0, arena.Statistics.Objects);
    }

    [Theory]
    [InlineData(nameof(PortCrashPoint.MemberNamed), 0, 0)]
    [InlineData(nameof(PortCrashPoint.MemberPlaced), 0, 0)]
    [InlineData(nameof(PortCrashPoint.MemberAdded), 0, 0)]
    [InlineData(nameof(PortCrashPoint.TakenOver), 0, 0)]
    [InlineData(nameof(PortCrashPoint.EntryWritten), 0, 0)]
    [InlineData(nameof(PortCrashPoint.EntrySent), 1, 0)]
    [InlineData(nameof(PortCrashPoint.EntryRead), 3, 0)]
    [InlineData(nameof(PortCrashPoint.EntryHeld), 3, 0)]
    [InlineData(nameof(PortCrashPoint.EntryTaken), 3, 0)]
    [InlineData(nameof(PortCrashPoint.SlowPassed), 4, 1)]
    [InlineData(nameof(PortCrashPoint.SlowestFound), 4, 1)]
    [InlineData(nameof(PortCrashPoint.FloorRaised), 4, 1)]
    [InlineData(nameof(PortCrashPoint.MemberRemoved), 5, 1)]
    public void Nothing_is_lost_of_one_that_is_killed_between_two_stores(string step, int sent, int missed)
    {
        using SharedArena arena = _directory.Open();
        using MulticastReceiver receiver = arena.OpenMulticastReceiver("m", depth: 4);
        using Process child = Child.Start("cast-to", _directory.Path, step);
        Assert.Equal("stopped", child.StandardOutput.ReadLine());
        Kill(child);
        var seen = new List<int>();
        if (step is nameof(PortCrashPoint.MemberNamed) or nameof(PortCrashPoint.MemberPlaced) or nameof(PortCrashPoint.MemberAdded)
            or nameof(PortCrashPoint.TakenOver))
            Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(out _)); // it was no sender so far
        else
            Assert.Throws<PeerLostException>(() => DrainInto(receiver, seen));
        Assert.Equal(sent - missed, seen.Count);
        Assert.Equal((missed, missed), (receiver.MissedCount, seen.Count == 0 ? 0 : seen[0]));
        using MulticastPort successor = arena.OpenMulticastPort("m", SlowReceiverPolicy.Fail);
        for (int number = 10; number < 30; number++)
        {
            Cast.Send(arena, successor, number);
            Assert.Equal([number], Cast.Drain(receiver));
        }
        Assert.Equal(1, successor.ReceiverCount);
        successor.Dispose();
        using SharedArena next = _directory.Open();
        Assert.Equal(0, next.Statistics.Objects);
        using SharedObject all = next.Allocate(next.CapacityBytes);
    }

    // Until it throws.
    private static List<int> DrainInto(MulticastReceiver receiver, List<int> seen)
    {
        while (receiver.Receive() is { } received)
            seen.Add(Cast.NumberOf(received));
        return seen;
    }

    private Process StartAndHear(string what, string said)
    {
        Process child = Child.Start(what, _directory.Path);
        Assert.Equal(said, child.StandardOutput.ReadLine());
        return child;
    }

    private static void Kill(Process child)
    {
        child.Kill();
        child.WaitForExit();
    }
}
