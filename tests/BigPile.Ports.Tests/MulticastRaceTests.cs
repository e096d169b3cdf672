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
    [InlineData(nameof(Step.SlowestFound), false)]
    [InlineData(nameof(Step.FloorRaised), false)]
    [InlineData(nameof(Step.SlowestFound), true)]
    public void Who_comes_while_the_sender_gives_back_begins_behind_it(string step, bool isTwin)
    {
        using SharedArena left = Open(step, isTwin ? Twin.GivesBackWithoutSecondLook : Twin.None);
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver first = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0);
        Assert.Equal([0], Cast.Drain(first));
        MulticastReceiver? late = null;
        _meanwhile = () => late = right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Cast.Send(left, sender, 1);
        Assert.Equal([1], Cast.Drain(first));
        Assert.Equal(1, left.Statistics.Objects); // the first one was given back
        Assert.Equal(isTwin ? [0, 1] : [1], Cast.Drain(late!));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_comes_while_the_sender_finds_nobody_sees_no_gap(bool isSomethingKept)
    {
        using SharedArena left = Open(nameof(Step.NobodyFound), Twin.None);
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
        Assert.Equal(isSomethingKept ? [0, 1, 2] : [2], Cast.Drain(late!));
    }

    [Theory]
    [InlineData(nameof(Step.MemberNamed), false, 6)]
    [InlineData(nameof(Step.MemberPlaced), false, 6)]
    [InlineData(nameof(Step.MemberAdded), false, 2)]
    [InlineData(nameof(Step.MemberPlaced), true, 0)]
    public void What_is_sent_while_a_receiver_comes_is_there_or_before_it(string step, bool isTwin, int begins)
    {
        using SharedArena left = _directory.Open();
        using SharedArena right = Open(step, isTwin ? Twin.JoinsWithoutSecondLook : Twin.None);
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
        if (isTwin)
        {
            Assert.Throws<InvalidDataException>(() => late.Receive());
            return;
        }
        Cast.Send(left, sender, 6);
        Assert.Equal(begins == 6 ? [6] : [3, 4, 5, 6], Cast.Drain(late));
        Assert.Equal(begins == 6 ? 0 : 1, late.MissedCount);
    }

    /// <summary>The receiver has read what is oldest when the sender passes it.</summary>
    [Theory]
    [InlineData(nameof(Step.EntryRead))]
    [InlineData(nameof(Step.EntryHeld))]
    public void Who_is_passed_while_it_takes_takes_the_next(string step)
    {
        using SharedArena left = _directory.Open();
        using SharedArena right = Open(step, Twin.None);
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver receiver = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0, 1, 2);
        _meanwhile = () => Cast.Send(left, sender, 3, 4, 5);
        Assert.Equal(2, Cast.NumberOf(receiver.Receive()));
        Assert.Equal(2, receiver.MissedCount);
        Assert.Equal([3, 4, 5], Cast.Drain(receiver));
        sender.Dispose();
        Assert.Equal(0, left.Statistics.Objects);
    }

    /// <summary>The sender has passed a receiver, and that goes on before the sender has given anything back.</summary>
    [Fact]
    public void Who_goes_on_while_it_is_passed_misses_what_it_was_passed_at()
    {
        using SharedArena left = Open(nameof(Step.SlowPassed), Twin.None);
        using SharedArena right = _directory.Open();
        using MulticastPort sender = left.OpenMulticastPort("m", depth: Depth);
        using MulticastReceiver receiver = right.OpenMulticastReceiver("m");
        Cast.Send(left, sender, 0, 1, 2, 3);
        _meanwhile = () => Assert.Equal([1, 2, 3], Cast.Drain(receiver));
        Cast.Send(left, sender, 4);
        Assert.Null(_meanwhile);
        Assert.Equal([4], Cast.Drain(receiver));
        Assert.Equal(1, receiver.MissedCount);
    }

    private SharedArena Open(string step, Twin twin) => _directory.Open(watch: new Watch(at => Hear(at, step), twin));

    private void Hear(Step at, string step)
    {
        if (at.ToString() != step || _meanwhile is not { } meanwhile)
            return;
        _meanwhile = null;
        meanwhile();
    }
}
