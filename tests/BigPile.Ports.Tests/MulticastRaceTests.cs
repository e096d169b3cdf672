using System;
using System.IO;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>A receiver comes between two stores of the sender, and a sender sends between two of the receiver.</summary>
public sealed class MulticastRaceTests : IDisposable
{
    private const int Depth = 4;

    private readonly ArenaDirectory _directory = new();
    private Action? _meanwhile;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(nameof(PortCrashPoint.SlowestFound), false, 0, 2)]
    [InlineData(nameof(PortCrashPoint.FloorRaised), false, 1, 1)]
    [InlineData(nameof(PortCrashPoint.SlowestFound), true, 0, 1)] // the first was given back, and is received
    public void What_begins_a_receiver_that_comes_while_the_sender_gives_back_is_kept(string step, bool isMutation, int begins, int kept)
    {
        using var mutation = new MutationScope(isMutation ? "reclaims-without-recheck" : null);
        using CrashPointScope<PortCrashPoint> scope = At(step);
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver first = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0);
        Assert.Equal([0], Cast.Drain(first));
        MulticastReceiver? late = null;
        _meanwhile = () => late = right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Cast.Send(left, sender, 1);
        if (!isMutation)
            right.CheckInvariants();
        Assert.Equal([1], Cast.Drain(first));
        Assert.Equal(kept, left.Statistics.Objects);
        Assert.Equal(begins == 0 ? [0, 1] : [1], Cast.Drain(late!));
        Assert.Equal(0, late!.MissedCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_comes_while_the_sender_finds_nobody_sees_no_gap(bool isSomethingKept)
    {
        using CrashPointScope<PortCrashPoint> scope = At(nameof(PortCrashPoint.NobodyFound));
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using (MulticastReceiver first = right.OpenMulticastReceiver("m"))
        {
            if (isSomethingKept)
                Cast.Send(left, sender, 0);
        }
        MulticastReceiver? late = null;
        _meanwhile = () => late = right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Cast.Send(left, sender, 1, 2);
        right.CheckInvariants();
        Assert.Equal(isSomethingKept ? [0, 1, 2] : [2], Cast.Drain(late!));
    }

    [Theory]
    [InlineData(nameof(PortCrashPoint.MemberNamed), false, 6)]
    [InlineData(nameof(PortCrashPoint.MemberPlaced), false, 6)]
    [InlineData(nameof(PortCrashPoint.MemberAdded), false, 2)]
    [InlineData(nameof(PortCrashPoint.MemberPlaced), true, 0)]
    public void What_is_sent_while_a_receiver_comes_is_there_or_before_it(string step, bool isMutation, int begins)
    {
        using SharedArena left = _directory.Open();
        using var mutation = new MutationScope(isMutation ? "joins-without-recheck" : null);
        using CrashPointScope<PortCrashPoint> scope = At(step);
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver first = left.OpenMulticastReceiver("m");
        _meanwhile = () =>
        {
            for (int number = 0; number < 6; number++)
            {
                Cast.Send(left, sender, number);
                Assert.Equal([number], Cast.Drain(first));
            }
        };
        using MulticastReceiver late = right.OpenMulticastReceiver("m");
        Assert.Null(_meanwhile);
        if (isMutation)
        {
            Assert.Throws<InvalidDataException>(() => late.Receive());
            return;
        }
        right.CheckInvariants();
        Cast.Send(left, sender, 6);
        Assert.Equal(begins == 6 ? [6] : [3, 4, 5, 6], Cast.Drain(late));
        Assert.Equal(begins == 6 ? 0 : 1, late.MissedCount);
    }

    /// <summary>The receiver has read what is oldest when the sender passes it.</summary>
    [Theory]
    [InlineData(nameof(PortCrashPoint.EntryRead))]
    [InlineData(nameof(PortCrashPoint.EntryHeld))]
    public void Who_is_passed_while_it_takes_takes_the_next(string step)
    {
        using SharedArena left = _directory.Open();
        using CrashPointScope<PortCrashPoint> scope = At(step);
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver receiver = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0, 1, 2);
        _meanwhile = () => Cast.Send(left, sender, 3, 4, 5);
        Assert.Equal(2, Cast.NumberOf(receiver.Receive()));
        Assert.Equal(2, receiver.MissedCount);
        right.CheckInvariants();
        Assert.Equal([3, 4, 5], Cast.Drain(receiver));
        sender.Dispose();
        Assert.Equal(0, left.Statistics.Objects);
    }

    /// <summary>The sender has passed a receiver, and that goes on before the sender has given anything back.</summary>
    [Fact]
    public void Who_goes_on_while_it_is_passed_misses_what_it_was_passed_at()
    {
        using CrashPointScope<PortCrashPoint> scope = At(nameof(PortCrashPoint.SlowPassed));
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver receiver = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0, 1, 2, 3);
        _meanwhile = () => Assert.Equal([1, 2, 3], Cast.Drain(receiver));
        Cast.Send(left, sender, 4);
        Assert.Null(_meanwhile);
        right.CheckInvariants();
        Assert.Equal([4], Cast.Drain(receiver));
        Assert.Equal(1, receiver.MissedCount);
    }

    private CrashPointScope<PortCrashPoint> At(string step) => new(at =>
    {
        if (at.ToString() != step || _meanwhile is not { } meanwhile)
            return;
        _meanwhile = null;
        meanwhile();
    });
}
