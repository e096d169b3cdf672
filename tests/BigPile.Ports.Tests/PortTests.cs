using System;
using System.Globalization;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

/// <summary>A port between two openings of an arena, which are two processes to it.</summary>
public sealed class PortTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();
    private readonly SharedArena _left;
    private readonly SharedArena _right;

    public PortTests()
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

    [Fact]
    public void An_object_comes_over_as_it_is_and_is_freed_behind_the_last()
    {
        using SendPort sender = _left.OpenSendPort("p");
        using ReceivePort receiver = _right.OpenReceivePort("p");
        using (SharedObject sent = Make(_left, 7, 10_000))
        {
            Assert.True(sent.IsWritable);
            sender.Send(sent);
            Assert.Throws<InvalidOperationException>(() => sent.WritableBytes.Length);
        }
        using (SharedObject received = receiver.Receive()!)
        {
            Assert.Equal(10_000, received.LengthBytes);
            Assert.True(received.Bytes.IndexOfAnyExcept((byte)7) < 0);
            Assert.False(received.IsWritable);
            Assert.Throws<InvalidOperationException>(() => received.WritableBytes.Length);
            sender.Dispose();
            Assert.Equal(1, _left.Statistics.Objects);
        }
        Assert.Equal(0, _left.Statistics.Objects);
    }

    [Fact]
    public async Task A_hundred_thousand_come_in_order()
    {
        using SendPort sender = _left.OpenSendPort("p");
        using ReceivePort receiver = _right.OpenReceivePort("p");
        int count = TestLeg.Steps(100_000, 3_000_000);
        Task sending = SideBySide.Start(() =>
        {
            for (int number = 0; number < count; number++)
            {
                using SharedObject sent = _left.Allocate(sizeof(int));
                BitConverter.TryWriteBytes(sent.WritableBytes, number);
                sender.Send(sent);
            }
            sender.Dispose();
        });
        for (int number = 0; number < count; number++)
        {
            using SharedObject received = receiver.Receive()!;
            Assert.Equal(number, BitConverter.ToInt32(received.Bytes));
        }
        Assert.Null(receiver.Receive());
        await sending;
        Eventually.True(() => _left.Statistics.Objects == 0);
    }

    /// <summary>Holds also for senders that send no more, and whichever process asks.</summary>
    [Fact]
    public void What_was_received_and_let_go_of_does_not_count()
    {
        using SendPort sender = _left.OpenSendPort("p");
        using ReceivePort receiver = _right.OpenReceivePort("p");
        using MulticastPort multicast = _left.OpenMulticastPort("m");
        using MulticastReceiver listener = _right.OpenMulticastReceiver("m");
        foreach (SharedArena arena in (SharedArena[])[_left, _right])
        {
            SendTo(1, sender);
            using (SharedObject sent = Make(_left, 2, 1))
                multicast.Send(sent);
            Assert.Equal(2, arena.Statistics.Objects);
            receiver.Receive()!.Dispose();
            listener.Receive()!.Dispose();
            Assert.Equal((0, arena.CapacityBytes), (arena.Statistics.Objects, arena.Statistics.FreeBytes));
        }
    }

    [Fact]
    public void A_full_port_waits_or_drops_or_fails()
    {
        using SendPort waiting = _left.OpenSendPort("waits", FullPolicy.Wait, 2);
        using SendPort dropping = _left.OpenSendPort("drops", FullPolicy.DropOldest, 2);
        using SendPort failing = _left.OpenSendPort("fails", FullPolicy.Fail, 2);
        for (byte mark = 0; mark < 2; mark++)
            SendTo(mark, waiting, dropping, failing);
        using SharedObject third = Make(_left, 2, 1);
        Assert.False(waiting.TrySend(third));
        Assert.False(waiting.TrySend(third, TimeSpan.FromMilliseconds(60)));
        Assert.Throws<PortFullException>(() => failing.Send(third));
        Assert.True(third.IsWritable);
        Assert.True(dropping.TrySend(third));
        Assert.Equal([0, 1], MarksOf("waits"));
        Assert.Equal([0, 1], MarksOf("fails"));
        Assert.Equal([1, 2], MarksOf("drops"));
        waiting.Send(third);
    }

    [Fact]
    public async Task Who_waits_is_woken()
    {
        using SendPort sender = _left.OpenSendPort("p", FullPolicy.Wait, 1);
        using ReceivePort receiver = _right.OpenReceivePort("p");
        Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(out _));
        Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(TimeSpan.FromMilliseconds(5), out _));
        for (int round = 0; round < 200; round++)
        {
            Task<SharedObject?> receiving = SideBySide.Start(receiver.Receive);
            if (round % 3 == 0)
                Eventually.True(() => receiving.Status == TaskStatus.Running);
            SendTo((byte)round, sender);
            using SharedObject received = (await receiving)!;
            Assert.Equal((byte)round, received.Bytes[0]);
        }
        SendTo(1, sender);
        Task sending = SideBySide.Start(() => SendTo(2, sender));
        receiver.Receive()!.Dispose();
        await sending;
        receiver.Receive()!.Dispose();
    }

    [Fact]
    public async Task Who_waits_at_a_port_that_is_closed_is_told()
    {
        using SendPort sender = _left.OpenSendPort("p", FullPolicy.Wait, 1);
        using ReceivePort receiver = _right.OpenReceivePort("p");
        Task<SharedObject?> receiving = SideBySide.Start(receiver.Receive);
        Eventually.True(() => receiving.Status == TaskStatus.Running);
        receiver.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => receiving);
        SendTo(1, sender);
        Assert.Throws<PeerLostException>(() => SendTo(2, sender));
        using ReceivePort next = _right.OpenReceivePort("p");
        Task sending = SideBySide.Start(() => SendTo(3, sender));
        Eventually.True(() => sending.Status == TaskStatus.Running);
        _left.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => sending);
        next.Receive()!.Dispose();
        Assert.Null(next.Receive());
    }

    [Fact]
    public void One_end_has_one_owner()
    {
        using SendPort sender = _left.OpenSendPort("p");
        using ReceivePort receiver = _right.OpenReceivePort("p");
        Assert.Throws<PortBusyException>(() => _right.OpenSendPort("p"));
        Assert.Throws<PortBusyException>(() => _left.OpenReceivePort("p"));
        sender.Dispose();
        using SendPort next = _right.OpenSendPort("p");
        SendTo(1, _right, next);
        receiver.Receive()!.Dispose();
        using SharedObject other = Make(_left, 1, 1);
        Assert.Throws<ArgumentException>(() => next.Send(other));
        Assert.Throws<ArgumentException>(() => _left.OpenSendPort("q", depth: 3));
        Assert.Throws<ArgumentException>(() => _left.OpenSendPort(""));
        Assert.Throws<ArgumentException>(() => _left.OpenSendPort(new string('x', 49)));
    }

    [Fact]
    public void A_successor_goes_on_where_the_one_before_stopped()
    {
        SendPort sender = _left.OpenSendPort("p");
        using (ReceivePort receiver = _right.OpenReceivePort("p"))
        {
            for (byte mark = 0; mark < 6; mark++)
                SendTo(mark, sender);
            receiver.Receive()!.Dispose();
        }
        using ReceivePort next = _right.OpenReceivePort("p");
        sender.Dispose();
        using SendPort successor = _right.OpenSendPort("p");
        _left.Dispose(); // the successor backs what was on the way
        SendTo(6, _right, successor);
        for (byte mark = 1; mark < 7; mark++)
        {
            using SharedObject received = next.Receive()!;
            Assert.Equal(mark, received.Bytes[0]);
        }
        successor.Dispose();
        Assert.Equal(ReceiveResult.Ended, next.TryReceive(out _));
        Assert.Equal((0, 1), (_right.Statistics.Objects, _right.Statistics.Processes));
    }

    [Fact]
    public void Ports_come_back_when_nobody_has_them()
    {
        for (int round = 0; round < 100; round++)
        {
            using SendPort sender = _left.OpenSendPort("p" + round);
            using ReceivePort receiver = _right.OpenReceivePort("p" + round);
            SendTo(1, sender);
            SendTo(2, sender);
            if (round % 2 == 0)
                sender.Dispose();
            receiver.Receive()!.Dispose();
        }
        Eventually.True(() => _left.Statistics.Objects == 0);
    }

    [Fact]
    public void Who_waits_costs_no_processor()
    {
        using SendPort sender = _left.OpenSendPort("p");
        (int exitCode, string said) = Child.Run("idle", _directory.Path, "p");
        Assert.Equal(0, exitCode);
        Assert.InRange(double.Parse(said, CultureInfo.InvariantCulture), 0, 0.5); // seconds, of two that it has waited
    }

    private static SharedObject Make(SharedArena arena, byte mark, int lengthBytes)
    {
        SharedObject made = arena.Allocate(lengthBytes);
        made.WritableBytes.Fill(mark);
        return made;
    }

    private void SendTo(byte mark, params SendPort[] ports) => SendTo(mark, _left, ports);

    private static void SendTo(byte mark, SharedArena arena, params SendPort[] ports)
    {
        using SharedObject sent = Make(arena, mark, 100);
        foreach (SendPort port in ports)
            port.Send(sent);
    }

    private byte[] MarksOf(string name)
    {
        using ReceivePort receiver = _right.OpenReceivePort(name);
        var marks = new byte[2];
        for (int i = 0; i < 2; i++)
        {
            using SharedObject received = receiver.Receive()!;
            marks[i] = received.Bytes[0];
        }
        Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(out _));
        return marks;
    }
}
