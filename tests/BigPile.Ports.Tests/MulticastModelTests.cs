using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Ports.Tests;

/// <summary>A multicast port in lock step with a model: senders, policies and receivers come and go at random.</summary>
public sealed class MulticastModelTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();
    private readonly List<Listener> _listeners = [];
    private SharedArena[] _arenas = [];
    private MulticastPort? _sender;
    private SharedArena? _senderArena;
    private SlowReceiverPolicy _policy;
    private int _depth;
    private int _tail;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(32)]
    public void Each_receiver_gets_what_the_model_says(int depth)
    {
        int seed = TestLeg.Seed(depth);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        _depth = depth;
        var options = new SharedArenaOptions
        {
            Directory = _directory.Path, CapacityBytes = 1 << 14, GranuleBytes = 64, MaxDepth = 32, MaxPorts = 1, MaxMulticastPorts = 2,
        };
        _arenas = [.. Enumerable.Range(0, 3).Select(_ => SharedArena.Open(ArenaDirectory.Name, options))];
        int steps = TestLeg.Steps(30_000, 1_000_000);
        (int sent, int received, int missed) = (0, 0, 0);
        for (int step = 0; step < steps; step++)
        {
            switch (random.Next(40))
            {
                case 0 when _listeners.Count < 6:
                    Join(random);
                    break;
                case 1 when _listeners.Count > 0:
                    missed += Leave(random);
                    break;
                case 2:
                    ChangeSender(random);
                    break;
                case < 16:
                    sent += Send() ? 1 : 0;
                    break;
                default:
                    received += Receive(random) ? 1 : 0;
                    break;
            }
            _arenas[step % 3].CheckInvariants();
        }
        output.WriteLine($"{steps} steps, sent {sent}, received {received}, missed {missed}");
        Assert.True(sent > steps / 20 && received > steps / 20);
        CloseAll(random);
    }

    private void Join(Random random)
    {
        bool isFromOldest = random.Next(3) == 0;
        int slowest = _listeners.Where(static one => !one.IsCutOff).Select(static one => one.Next).DefaultIfEmpty(_tail).Min();
        MulticastReceiver receiver = _arenas[random.Next(3)].OpenMulticastReceiver(
            "m", isFromOldest ? MulticastStart.Oldest : MulticastStart.Next, _depth);
        var listener = new Listener(receiver) { Next = _tail };
        _listeners.Add(listener);
        if (!isFromOldest || _sender == null || receiver.TryReceive(out SharedObject? received) != ReceiveResult.Received)
        {
            Assert.True(!isFromOldest || _sender == null || slowest == _tail);
            return;
        }
        int oldest = Cast.NumberOf(received);
        Assert.InRange(oldest, _tail - _depth, slowest);
        listener.Next = oldest + 1;
    }

    private int Leave(Random random)
    {
        Listener listener = _listeners[random.Next(_listeners.Count)];
        listener.Receiver.Dispose();
        _listeners.Remove(listener);
        return listener.Missed;
    }

    private void ChangeSender(Random random)
    {
        _sender?.Dispose();
        _sender = null;
        if (random.Next(4) == 0)
            return;
        _policy = (SlowReceiverPolicy)random.Next(4);
        _senderArena = _arenas[random.Next(3)];
        _sender = _senderArena.OpenMulticastPort("m", _policy, _depth);
    }

    private bool Send()
    {
        if (_sender == null)
            return false;
        Listener[] slow = [.. _listeners.Where(one => !one.IsCutOff && _tail - one.Next == _depth)];
        bool isSent = Cast.TrySend(_senderArena!, _sender, _tail, TimeSpan.Zero);
        Assert.Equal(slow.Length == 0 || _policy is SlowReceiverPolicy.DropOldest or SlowReceiverPolicy.Disconnect, isSent);
        if (!isSent)
            return false;
        foreach (Listener one in slow)
        {
            one.IsCutOff = _policy == SlowReceiverPolicy.Disconnect;
            one.Next += Math.Max(1, _depth / 16);
            one.Missed += Math.Max(1, _depth / 16);
        }
        if (_listeners.Count > 0)
            _tail++;
        return true;
    }

    private bool Receive(Random random)
    {
        if (_listeners.Count == 0)
            return false;
        Listener listener = _listeners[Math.Min(random.Next(_listeners.Count), random.Next(_listeners.Count))]; // some are slow
        if (listener.IsCutOff)
        {
            Assert.Throws<SlowReceiverException>(() => listener.Receiver.TryReceive(out _));
            return false;
        }
        ReceiveResult result = listener.Receiver.TryReceive(out SharedObject? received);
        if (listener.Next == _tail)
        {
            Assert.NotEqual(ReceiveResult.Received, result);
            return false;
        }
        Assert.Equal(listener.Next++, Cast.NumberOf(received));
        Assert.Equal(listener.Missed, listener.Receiver.MissedCount);
        return true;
    }

    private void CloseAll(Random random)
    {
        while (_listeners.Count > 0)
            Leave(random);
        _sender?.Dispose();
        Eventually.True(() => _arenas[0].Statistics.Objects == 0);
        foreach (SharedArena arena in _arenas)
            arena.Dispose();
        using SharedArena last = SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = _directory.Path });
        Assert.Equal((0, last.CapacityBytes), (last.Statistics.Objects, last.Statistics.FreeBytes));
        using SharedObject all = last.Allocate(last.CapacityBytes);
    }

    private sealed class Listener(MulticastReceiver receiver)
    {
        internal MulticastReceiver Receiver => receiver;

        internal int Next { get; set; }

        internal int Missed { get; set; }

        internal bool IsCutOff { get; set; }
    }
}
