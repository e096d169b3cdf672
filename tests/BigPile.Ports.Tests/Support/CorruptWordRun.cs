using System;
using System.Diagnostics;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace BigPile.Ports.Tests;

/// <summary>Changes one word of an arena in use at a time, and goes on using it: an exception comes of it, or what was sent.</summary>
internal static class CorruptWordRun
{
    private const int Granules = 16;
    private const int ProcessesAt = 4096;
    private const int ProcessBytes = 320;
    private const int RingBytes = 448 + (4 * 16);
    private const int MembersAt = ProcessesAt + (64 * ProcessBytes) + (2 * RingBytes) + RingBytes;
    private const int ObjectsAt = MembersAt + (64 * 64);
    private const int DataAt = ObjectsAt + (Granules * 32);

    internal static void Run(string path, int seed, int patterns)
    {
        var random = new Random(seed);
        (int refused, int refusedOfMulticast, int words) = (0, 0, 0);
        for (int at = 0; at < DataAt; at += sizeof(long))
        {
            if (at is >= 128 and < 4096 or >= MembersAt + (4 * 64) and < ObjectsAt)
                continue; // the rest of the head's page, which nobody reads, and receivers that nobody is
            bool isOfNoProcess = at is >= ProcessesAt + (4 * ProcessBytes) and < ProcessesAt + (64 * ProcessBytes);
            if (patterns == 1 && isOfNoProcess && (at - ProcessesAt) / ProcessBytes % 8 != 0)
                continue; // places of processes that nobody is are all alike: the short leg takes some of them
            for (int pattern = 0; pattern < patterns; pattern++, words++)
            {
                long before = Stopwatch.GetTimestamp();
                bool isRefused = Scene(path, at, PatternOf(random));
                refused += isRefused ? 1 : 0;
                refusedOfMulticast += isRefused && at is >= MembersAt - RingBytes and < ObjectsAt ? 1 : 0;
                if (Stopwatch.GetElapsedTime(before) > Eventually.Timeout)
                    throw new TimeoutException($"The word at {at} holds everything up.");
            }
        }
        Console.WriteLine($"words {words} refused {refused}, of the multicast port {refusedOfMulticast}");
    }

    private static long PatternOf(Random random) => random.Next(4) switch
    {
        0 => -1,
        1 => 1L << random.Next(64),
        2 => random.Next(1, 16),
        _ => random.NextInt64(),
    };

    // Whether something was refused.
    private static bool Scene(string path, int at, long pattern)
    {
        _ = SharedArena.TryRemove(ArenaDirectory.Name, path);
        using SharedArena left = Open(path);
        using SharedArena right = Open(path);
        using SendPort sender = left.OpenSendPort("p", FullPolicy.DropOldest);
        using ReceivePort receiver = right.OpenReceivePort("p");
        using MulticastPort caster = left.OpenMulticastPort("m");
        using MulticastReceiver first = right.OpenMulticastReceiver("m");
        using MulticastReceiver second = left.OpenMulticastReceiver("m");
        for (int number = 1; number < 4; number++)
            SendNumber(left, sender.Send, caster.Send, number);
        Flip(Path.Combine(path, "test.arena"), at, pattern);
        (long last, long lastOfFirst, long lastOfSecond) = (0, 0, 0);
        return IsRefused(() => ReceiveAll(receiver, ref last))
            | IsRefused(() => ReceiveAll(first, ref lastOfFirst))
            | IsRefused(() => SendNumber(left, sender.Send, caster.Send, 4))
            | IsRefused(() => SendNumber(left, sender.Send, caster.Send, 5))
            | IsRefused(() => ReceiveAll(receiver, ref last))
            | IsRefused(() => ReceiveAll(second, ref lastOfSecond))
            | IsRefused(() => right.OpenMulticastReceiver("m", MulticastStart.Oldest).Dispose())
            | IsRefused(() => _ = right.Statistics)
            | IsRefused(() => right.TryAllocate(right.CapacityBytes)?.Dispose())
            | IsRefused(() => Open(path).Dispose())
            | IsRefused(() => right.OpenReceivePort("q").Dispose())
            | IsRefused(sender.Dispose)
            | IsRefused(caster.Dispose)
            | IsRefused(() => right.OpenMulticastPort("m").Dispose())
            | IsRefused(() => ReceiveAll(receiver, ref last))
            | IsRefused(() => ReceiveAll(first, ref lastOfFirst))
            | IsRefused(() => ReceiveAll(second, ref lastOfSecond))
            | IsRefused(receiver.Dispose);
    }

    private static SharedArena Open(string path) => SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions
    {
        Directory = path,
        CapacityBytes = Granules * 4096,
        MaxPorts = 2,
        MaxMulticastPorts = 1,
        MaxDepth = 4,
        Spin = TimeSpan.Zero,
    });

    // Each has an object of its own, and the second is sent whatever comes of the first.
    private static void SendNumber(SharedArena arena, Action<SharedObject> sendToOne, Action<SharedObject> sendToAll, int number)
    {
        try
        {
            SendNumber(arena, sendToOne, number);
        }
        finally
        {
            SendNumber(arena, sendToAll, number);
        }
    }

    private static void SendNumber(SharedArena arena, Action<SharedObject> send, int number)
    {
        using SharedObject sent = arena.Allocate(500 * number / 8 * 8);
        Message.Fill(sent.WritableBytes, number);
        send(sent);
    }

    private static void ReceiveAll(ReceivePort receiver, ref long last)
    {
        while (receiver.TryReceive(TimeSpan.FromMilliseconds(1), out SharedObject? received) == ReceiveResult.Received)
        {
            using (received)
            {
                long number = Message.NumberOf(received!.Bytes);
                if (number <= last || received.LengthBytes != 500 * number / 8 * 8)
                    throw new InvalidOperationException($"{number} of {received.LengthBytes} bytes came behind {last}.");
                last = number;
            }
        }
    }

    private static bool IsRefused(Action action)
    {
        try
        {
            action();
            return false;
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            return true;
        }
    }

    private static void Flip(string file, int at, long pattern)
    {
        using var stream = new FileStream(file, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        using var map = MemoryMappedFile.CreateFromFile(
            stream, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = map.CreateViewAccessor();
        view.Write(at, view.ReadInt64(at) ^ pattern);
    }
}
