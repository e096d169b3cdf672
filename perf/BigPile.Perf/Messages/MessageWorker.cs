using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>A receiver process: it checks each message, and sends back those that ask for it.</summary>
/// <remarks>It ends when its standard input closes, so that it does not outlive the console.</remarks>
[SupportedOSPlatform("linux")]
internal static class MessageWorker
{
    /// <summary>Receives until it is told to end.</summary>
    internal static int Run(MessageRoute route, string address, int lane, TextWriter output)
    {
        new Thread(EndWithInput) { IsBackground = true }.Start();
        using ThreadPin? pin = route.Options.IsPinned ? ThreadPin.OfReceiver(lane) : null;
        using SharedArena? arena =
            MessageWays.IsPort(route.Way) ? SharedArena.Open(PortMeeting.ArenaName, MessageWays.ArenaOf(route.Way, address)) : null;
        using IMessageChannel channel = Join(route, address, lane, arena);
        output.WriteLine(MessageRoute.Ready);
        output.Flush();
        Receive(channel, route.SizeBytes);
        return 0;
    }

    private static IMessageChannel Join(MessageRoute route, string address, int lane, SharedArena? arena) => route.Way switch
    {
        MessageWay.Tcp or MessageWay.Unix => StreamMeeting.Join(route.Way, address),
        MessageWay.Udp => DatagramMeeting.Join(route, address),
        MessageWay.Pipe => PipeMeeting.Join(address),
        _ => PortChannel.Open(arena!, route, lane, isSender: false),
    };

    private static void Receive(IMessageChannel channel, int sizeBytes)
    {
        var message = new MessageBuffer(sizeBytes);
        MessageWish wish = MessageWish.Nothing;
        for (long number = 0; wish != MessageWish.End; number++)
        {
            channel.Receive(message.Bytes);
            wish = message.Check(number);
            if (wish != MessageWish.Nothing)
                channel.Send(message.Bytes);
        }
    }

    private static void EndWithInput()
    {
        _ = Console.In.ReadLine();
        Environment.Exit(0);
    }
}

/// <summary>Pins the calling thread to one of the process's cores, until the same thread disposes it.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe partial class ThreadPin : IDisposable
{
    private const int Words = 16; // 1,024 processors
    private const int WordBits = 64;

    private readonly ulong[] _before = new ulong[Words];

    private ThreadPin(Func<int[], int> choose)
    {
        fixed (ulong* words = _before)
        {
            if (GetAffinity(0, Words * sizeof(ulong), words) < 0)
                throw new LoadException("The system does not say which cores there are. Leave --pin out.");
        }
        int core = choose([.. CoresOf(_before)]);
        var one = new ulong[Words];
        one[core / WordBits] = 1UL << (core % WordBits);
        Set(one);
    }

    /// <summary>The first core.</summary>
    internal static ThreadPin OfSender() => new(static cores => cores[0]);

    /// <summary>One of the others, in turns.</summary>
    internal static ThreadPin OfReceiver(int lane) => new(cores => cores.Length == 1 ? cores[0] : cores[1 + (lane % (cores.Length - 1))]);

    public void Dispose() => Set(_before);

    private static IEnumerable<int> CoresOf(ulong[] words) => Enumerable.Range(0, Words * WordBits)
        .Where(core => (words[core / WordBits] & (1UL << (core % WordBits))) != 0);

    private static void Set(ulong[] wanted)
    {
        fixed (ulong* words = wanted)
        {
            if (SetAffinity(0, Words * sizeof(ulong), words) != 0)
                throw new LoadException("The system does not let a thread stay on a core. Leave --pin out.");
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nuint lengthBytes, ulong* words);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nuint lengthBytes, ulong* words);
}
