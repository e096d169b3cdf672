using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>What the processes do that the torture of multicast ports kills: some send to all, some receive at two ports.</summary>
internal static class CastWorkers
{
    private const int NumberBits = 40;
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(60);

    /// <summary>Sends until it is killed. The number of the process goes before those of its messages, which have no gap.</summary>
    internal static int Send(SharedArena arena, string name, int process, int seed)
    {
        var random = new Random(seed);
        using MulticastPort port = arena.OpenMulticastPort(
            name, name[0] == 'd' ? SlowReceiverPolicy.DropOldest : SlowReceiverPolicy.Wait, 8);
        for (long number = (long)process << NumberBits; ; number++)
        {
            SharedObject? made;
            while ((made = arena.TryAllocate(8 * random.Next(1, 1200))) == null)
            {
            }
            using (made)
            {
                Message.Fill(made.WritableBytes, number);
                if (!port.TrySend(made, WaitLimit))
                    return Workers.Fault($"'{name}' was full for {WaitLimit}");
            }
        }
    }

    /// <summary>Receives at both ports until it is killed, or something is wrong. Now and then it leaves a port and comes again.</summary>
    internal static int Receive(SharedArena arena, string[] names, int seed)
    {
        var random = new Random(seed);
        PortSelector selector = arena.CreateSelector();
        var listeners = new Dictionary<ReceivePort, Listener>();
        foreach (string name in names)
            Join(arena, name, selector, listeners, random);
        var waited = Stopwatch.StartNew();
        for (int count = 0; waited.Elapsed < WaitLimit;)
        {
            if (selector.Select(TimeSpan.FromSeconds(1)) is not { } ready)
                continue;
            if (!TryReceive(ready, out SharedObject? received, out string? damage))
            {
                if (damage != null)
                    return Workers.Fault($"'{ready.Name}': {damage}");
                continue;
            }
            waited.Restart();
            if (++count % Workers.CountedMessages == 0)
                Console.WriteLine(Workers.CountedLine);
            using (received)
            {
                if (listeners[ready].WhatIsWrong(received!) is { } fault)
                    return Workers.Fault($"'{ready.Name}': {fault}");
            }
            if (random.Next(50) == 0)
            {
                ready.Dispose();
                listeners.Remove(ready);
                Join(arena, ready.Name, selector, listeners, random);
            }
        }
        return Workers.Fault($"there was nothing for {WaitLimit}");
    }

    /// <summary>Comes by each step of a multicast port, and says so at one, and is killed there.</summary>
    internal static void CastTo(string path, PortCrashPoint step)
    {
        Troublemaker.StopAt(step);
        SharedArena arena = SharedArena.Open(ArenaDirectory.Name, ArenaDirectory.Options(path));
        MulticastReceiver receiver = arena.OpenMulticastReceiver("m", depth: 4);
        MulticastPort sender = arena.OpenMulticastPort("m", depth: 4);
        Cast.Send(arena, sender, 0, 1, 2);
        Cast.Drain(receiver);
        Cast.Send(arena, sender, 3, 4); // the receiver of the other process is behind by the whole depth
        receiver.Dispose();
    }

    /// <summary>Does what it is told, a line for each order, and stops at the steps that it was told.</summary>
    internal static void Obey(string path)
    {
        string[] steps = [];
        BigPile.Memory.Checking.CrashPointHook<PortCrashPoint>.Passed = step =>
        {
            if (Array.IndexOf(steps, step.ToString()) < 0)
                return;
            Console.WriteLine($"at {step}");
            Console.ReadLine();
        };
        SharedArena arena = SharedArena.Open(ArenaDirectory.Name, ArenaDirectory.Options(path));
        MulticastPort? port = null;
        Console.WriteLine("done");
        while (Console.ReadLine()?.Split(' ') is [var order, .. var rest])
        {
            if (order == "stop")
                steps = rest;
            else if (order == "join")
                arena.OpenMulticastReceiver("m", depth: 4);
            else
                SendAll(port ??= arena.OpenMulticastPort("m", SlowReceiverPolicy.Wait, depth: 4), rest);
            Console.WriteLine("done");
        }

        void SendAll(MulticastPort to, string[] numbers) => Cast.Send(arena, to, Array.ConvertAll(numbers, int.Parse));
    }

    private static void Join(
        SharedArena arena, string name, PortSelector selector, Dictionary<ReceivePort, Listener> listeners, Random random)
    {
        MulticastReceiver receiver = arena.OpenMulticastReceiver(name, (MulticastStart)random.Next(2), 8);
        listeners.Add(receiver, new Listener(receiver));
        selector.Add(receiver);
    }

    private static bool TryReceive(ReceivePort receiver, out SharedObject? received, out string? damage)
    {
        received = null;
        damage = null;
        try
        {
            return receiver.TryReceive(out received) == ReceiveResult.Received;
        }
        catch (InvalidDataException e)
        {
            damage = e.Message;
            return false;
        }
        catch (PeerLostException)
        {
            return false; // another sender comes
        }
    }

    /// <summary>What one receiver has seen so far: each message whole, in order, and what lacks is what was counted as missed.</summary>
    private sealed class Listener(MulticastReceiver receiver)
    {
        private long _last = -1;
        private long _missed;

        internal string? WhatIsWrong(SharedObject received)
        {
            long number = Message.NumberOf(received.Bytes);
            long missed = receiver.MissedCount - _missed;
            (long last, _last, _missed) = (_last, number, receiver.MissedCount);
            if (number < 0)
                return $"a message is half another one, behind {last:X}";
            if (number <= last)
                return $"{number:X} behind {last:X}";
            bool isOfSameSender = last >= 0 && last >> NumberBits == number >> NumberBits;
            if (isOfSameSender && number - last - 1 != missed)
                return $"{number:X} behind {last:X}, and {missed} counted as missed";
            return receiver.Name[0] == 'w' && missed != 0 ? $"{missed} missed where the sender waits" : null;
        }
    }
}
