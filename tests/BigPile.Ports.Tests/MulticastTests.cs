using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

/// <summary>A multicast port between two openings of an arena, which are two processes to it.</summary>
public sealed class MulticastTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();
    private SharedArena? _left;
    private SharedArena? _right;

    private SharedArena Left => _left ??= _directory.Open();

    private SharedArena Right => _right ??= _directory.Open();

    public void Dispose()
    {
        _left?.Dispose();
        _right?.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void One_object_comes_to_all_as_it_is_and_is_freed_behind_the_last()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m");
        MulticastReceiver[] receivers =
            [Left.OpenMulticastReceiver("m"), Right.OpenMulticastReceiver("m"), Right.OpenMulticastReceiver("m")];
        Assert.Equal(3, sender.ReceiverCount);
        using (SharedObject sent = Left.Allocate(10_000))
        {
            sent.WritableBytes.Fill(7);
            sender.Send(sent);
            Assert.Throws<InvalidOperationException>(() => sent.WritableBytes.Length);
        }
        foreach (MulticastReceiver receiver in receivers)
        {
            using SharedObject received = receiver.Receive()!;
            Assert.Equal(10_000, received.LengthBytes);
            Assert.True(received.Bytes.IndexOfAnyExcept((byte)7) < 0);
            Assert.False(received.IsWritable);
            Assert.Equal((1, 0), (Left.Statistics.Objects, receiver.MissedCount));
            Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(out _));
        }
        sender.Dispose();
        Assert.Equal(0, Left.Statistics.Objects);
        Assert.All(receivers, static receiver => Assert.Null(receiver.Receive()));
    }

    [Fact]
    public void Who_comes_late_begins_with_the_next_or_with_what_is_kept()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m", depth: 8);
        Cast.Send(Left, sender, 0, 1);
        Assert.Equal((0, 0), (Left.Statistics.Objects, sender.ReceiverCount)); // nobody listens: nothing is kept
        using MulticastReceiver first = Right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Cast.Send(Left, sender, 2, 3);
        using MulticastReceiver next = Right.OpenMulticastReceiver("m");
        using MulticastReceiver oldest = Right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Cast.Send(Left, sender, 4);
        Assert.Equal([2, 3, 4], Cast.Drain(oldest));
        Assert.Equal([4], Cast.Drain(next));
        Assert.Equal([2, 3, 4], Cast.Drain(first));
        sender.Dispose();
        using MulticastReceiver behind = Right.OpenMulticastReceiver("m", MulticastStart.Oldest);
        Assert.Equal(ReceiveResult.Ended, behind.TryReceive(out _));
    }

    [Fact]
    public void Objects_of_no_bytes_are_sent_like_others()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m", depth: 4);
        using MulticastReceiver first = Right.OpenMulticastReceiver("m");
        using MulticastReceiver second = Left.OpenMulticastReceiver("m");
        for (int round = 0; round < 50; round++)
        {
            using (SharedObject sent = Left.Allocate(0))
                sender.Send(sent);
            Assert.Equal(0, first.Receive()!.LengthBytes);
            Assert.Equal(0, second.Receive()!.LengthBytes);
        }
        Assert.InRange(Left.Statistics.Objects, 50, 52);
    }

    [Fact]
    public async Task A_hundred_thousand_come_to_each_in_order()
    {
        int seed = TestLeg.Seed(31);
        output.WriteLine($"seed {seed}");
        int count = TestLeg.Steps(100_000, 2_000_000);
        using MulticastPort sender = Left.OpenMulticastPort("m", SlowReceiverPolicy.Wait, 8);
        Task[] receiving = [.. Enumerable.Range(0, 3).Select(number =>
        {
            MulticastReceiver receiver = (number == 0 ? Left : Right).OpenMulticastReceiver("m");
            return SideBySide.Start(() => ReceiveAll(receiver, count, new Random(seed + number)));
        })];
        for (int number = 0; number < count; number++)
            Cast.Send(Left, sender, number);
        sender.Dispose();
        await Task.WhenAll(receiving);
        Eventually.True(() => Left.Statistics.Objects == 0);
    }

    [Fact]
    public void A_sender_that_comes_later_goes_on_and_backs_what_is_on_the_way()
    {
        MulticastPort sender = Left.OpenMulticastPort("m");
        using MulticastReceiver slow = Right.OpenMulticastReceiver("m");
        using MulticastReceiver quick = Right.OpenMulticastReceiver("m");
        Assert.Throws<PortBusyException>(() => Right.OpenMulticastPort("m"));
        Cast.Send(Left, sender, 0, 1, 2);
        Assert.Equal(0, Cast.NumberOf(slow.Receive()));
        Assert.Equal([0, 1, 2], Cast.Drain(quick));
        sender.Dispose();
        Assert.Null(quick.Receive());
        using MulticastPort successor = Right.OpenMulticastPort("m");
        Left.Dispose();
        Assert.Equal(ReceiveResult.Nothing, quick.TryReceive(out _));
        Cast.Send(Right, successor, 3);
        Assert.Equal([1, 2, 3], Cast.Drain(slow));
        Assert.Equal([3], Cast.Drain(quick));
        successor.Dispose();
        Assert.Equal(ReceiveResult.Ended, slow.TryReceive(out _));
        Assert.Equal((0, 1), (Right.Statistics.Objects, Right.Statistics.Processes));
    }

    [Fact]
    public async Task Who_waits_is_woken_by_what_is_sent_and_by_the_end()
    {
        MulticastPort sender = Left.OpenMulticastPort("m");
        MulticastReceiver[] receivers = [.. Enumerable.Range(0, 6).Select(_ => Right.OpenMulticastReceiver("m"))];
        for (int round = 0; round < 100; round++)
        {
            Task<SharedObject?>[] receiving = [.. receivers.Select(static one => SideBySide.Start(one.Receive))];
            if (round % 3 == 0)
                Eventually.True(() => Array.TrueForAll(receiving, static one => one.Status == TaskStatus.Running));
            Cast.Send(Left, sender, round);
            foreach (SharedObject? received in await Task.WhenAll(receiving))
                Assert.Equal(round, Cast.NumberOf(received));
        }
        Task<SharedObject?>[] waiting = [.. receivers.Skip(1).Select(static one => SideBySide.Start(one.Receive))];
        Task<SharedObject?> closed = SideBySide.Start(receivers[0].Receive);
        Eventually.True(() => closed.Status == TaskStatus.Running);
        receivers[0].Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => closed);
        sender.Dispose();
        Assert.All(await Task.WhenAll(waiting), Assert.Null);
    }

    [Fact]
    public async Task Both_ends_wait_without_a_thread()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m", SlowReceiverPolicy.Wait, 2);
        MulticastReceiver[] receivers = [Right.OpenMulticastReceiver("m"), Right.OpenMulticastReceiver("m")];
        int count = TestLeg.Steps(2_000, 100_000);
        Task[] receiving = [.. receivers.Select(async receiver =>
        {
            for (int number = 0; number < count; number++)
                Assert.Equal(number, Cast.NumberOf(await receiver.ReceiveAsync()));
            Assert.Null(await receiver.ReceiveAsync());
        })];
        for (int number = 0; number < count; number++)
        {
            using SharedObject sent = Cast.Make(Left, number);
            await sender.SendAsync(sent);
        }
        sender.Dispose();
        await Task.WhenAll(receiving);
    }

    [Fact]
    public async Task A_sender_waits_until_so_many_listen()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m");
        Assert.True(sender.WaitForReceivers(0, TimeSpan.Zero));
        Assert.False(sender.WaitForReceivers(1, TimeSpan.FromMilliseconds(5)));
        Task<bool> waiting = SideBySide.Start(() => sender.WaitForReceivers(2, Eventually.Timeout));
        using MulticastReceiver first = Right.OpenMulticastReceiver("m");
        using MulticastReceiver second = Right.OpenMulticastReceiver("m");
        Assert.True(await waiting);
        Assert.Throws<ArgumentOutOfRangeException>(() => sender.WaitForReceivers(65, TimeSpan.Zero));
        sender.Dispose();
        Assert.Throws<ObjectDisposedException>(() => sender.WaitForReceivers(0, TimeSpan.Zero));
    }

    [Fact]
    public void A_selector_takes_receivers_of_both_kinds()
    {
        PortSelector selector = Right.CreateSelector();
        using MulticastPort many = Left.OpenMulticastPort("p");
        using SendPort one = Left.OpenSendPort("p"); // the names have nothing to do with each other
        selector.Add(Right.OpenMulticastReceiver("p"));
        selector.Add(Right.OpenMulticastReceiver("p"));
        selector.Add(Right.OpenReceivePort("p"));
        for (int round = 0; round < 20; round++)
        {
            Task<ReceivePort?> selecting = SideBySide.Start(() => selector.Select(Eventually.Timeout));
            if (round % 2 == 0)
                Eventually.True(() => selecting.Status == TaskStatus.Running);
            using (SharedObject sent = Cast.Make(Left, round))
            {
                many.Send(sent);
                one.Send(sent);
            }
            Assert.NotNull(selecting.GetAwaiter().GetResult());
            var seen = new HashSet<ReceivePort>();
            while (selector.Select(TimeSpan.Zero) is { } ready)
            {
                Assert.True(seen.Add(ready));
                Assert.Equal([round], Cast.Drain(ready));
            }
            Assert.Equal(3, seen.Count);
        }
        many.Dispose();
        Assert.IsType<MulticastReceiver>(selector.Select(Eventually.Timeout));
    }

    [Fact]
    public void Sixty_four_receive_and_one_more_is_refused()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m");
        MulticastReceiver[] all = [.. Enumerable.Range(0, 64).Select(_ => Right.OpenMulticastReceiver("m"))];
        IOException refusal = Assert.Throws<IOException>(() => Right.OpenMulticastReceiver("m"));
        Assert.Contains("64 receivers", refusal.Message, StringComparison.Ordinal);
        all[40].Dispose();
        all[40].Dispose();
        Assert.Throws<ObjectDisposedException>(() => all[40].Receive());
        all[40] = Right.OpenMulticastReceiver("m");
        Cast.Send(Left, sender, 5);
        Assert.All(all, static one => Assert.Equal([5], Cast.Drain(one)));
    }

    [Fact]
    public void Ports_come_back_when_nobody_has_them()
    {
        for (int round = 0; round < 100; round++)
        {
            using MulticastPort sender = Left.OpenMulticastPort("m" + round);
            using MulticastReceiver receiver = Right.OpenMulticastReceiver("m" + round);
            Cast.Send(Left, sender, 1, 2);
            if (round % 2 == 0)
                sender.Dispose();
            Assert.Equal(1, Cast.NumberOf(receiver.Receive()));
        }
        Eventually.True(() => Left.Statistics.Objects == 0);
    }

    [Fact]
    public void What_has_no_meaning_is_refused()
    {
        using MulticastPort sender = Left.OpenMulticastPort("m");
        using SharedObject other = Cast.Make(Right, 1);
        Assert.Throws<ArgumentException>(() => sender.Send(other));
        Assert.Throws<ArgumentException>(() => Left.OpenMulticastPort("q", depth: 3));
        Assert.Throws<ArgumentException>(() => Left.OpenMulticastReceiver(""));
        SharedObject gone = Cast.Make(Left, 1);
        gone.Dispose();
        Assert.Throws<ObjectDisposedException>(() => sender.Send(gone));
    }

    private static void ReceiveAll(MulticastReceiver receiver, int count, Random random)
    {
        var kept = new Queue<SharedObject>();
        for (int number = 0; number < count; number++)
        {
            SharedObject received = receiver.Receive()!;
            Assert.Equal(number, BitConverter.ToInt32(received.Bytes));
            kept.Enqueue(received);
            while (kept.Count > random.Next(6))
                kept.Dequeue().Dispose();
        }
        foreach (SharedObject left in kept)
            left.Dispose();
        Assert.Null(receiver.Receive());
        Assert.Equal(0, receiver.MissedCount);
    }
}
