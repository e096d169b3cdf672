using System;
using System.Diagnostics;
using System.Globalization;
using BigPile.Memory.Checking;
using BigPile.Ports;
using BigPile.Ports.Checking;
using BigPile.Ports.Tests;

// What tests start as another process. The first argument says what it does, the second one is the directory of the arena.
switch (args[0])
{
    case "hold":
        Hold(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }), int.Parse(args[2]));
        return 0;
    case "stop-at":
        StopAt(args[1], Enum.Parse<PortCrashPoint>(args[2]));
        return 0;
    case "send":
        return Workers.Send(OpenTroubled(args), args[2], int.Parse(args[3]), int.Parse(args[4]));
    case "receive":
        return Workers.Receive(OpenTroubled(args), args[2]);
    case "send-all":
        return CastWorkers.Send(OpenTroubled(args), args[2], int.Parse(args[3]), int.Parse(args[4]));
    case "receive-both":
        return CastWorkers.Receive(OpenTroubled(args), args[2].Split(','), int.Parse(args[4]));
    case "cast-to":
        CastWorkers.CastTo(args[1], Enum.Parse<PortCrashPoint>(args[2]));
        return 0;
    case "obey":
        CastWorkers.Obey(args[1]);
        return 0;
    case "listen":
        Listen(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }));
        return 0;
    case "take":
        Take(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }));
        return 0;
    case "cast":
        SendThree(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }));
        return 0;
    case "bind":
        Bind(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }), args[2]);
        return 0;
    case "await":
        Await(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }), args[2]);
        return 0;
    case "idle":
        Idle(SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }), args[2]);
        return 0;
    case "ask-for-parcels":
        using (SharedArena arena = SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }))
            Parcels.Ask(arena, Parcels.PathIn(args[1]));
        return 0;
    case "make-parcels":
        using (SharedArena arena = SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions { Directory = args[1] }))
            Parcels.Make(arena, Parcels.PathIn(args[1]), int.Parse(args[2]));
        return 0;
    case "hostile":
        CorruptWordRun.Run(args[1], int.Parse(args[2]), int.Parse(args[3]));
        return 0;
    default:
        return 2;
}

// Says that it holds, and is killed.
static void Hold(SharedArena arena, int objects)
{
    for (int i = 0; i < objects; i++)
        arena.Allocate(10_000);
    Console.WriteLine("holds");
    Console.ReadLine();
}

// Sends one object, says so, and is killed.
static void Bind(SharedArena arena, string port)
{
    arena.OpenSendPort(port).Send(arena.Allocate(10_000));
    Console.WriteLine("bound");
    Console.ReadLine();
}

// Has two receivers of a multicast port, says so, and is killed.
static void Listen(SharedArena arena)
{
    arena.OpenMulticastReceiver("m");
    arena.OpenMulticastReceiver("m");
    Console.WriteLine("listens");
    Console.ReadLine();
}

// Receives from a multicast port, until it is killed.
static void Take(SharedArena arena)
{
    using MulticastReceiver receiver = arena.OpenMulticastReceiver("m");
    Console.WriteLine("takes");
    while (receiver.Receive() is { } received)
        received.Dispose();
}

// Sends three objects to all, says so, and is killed.
static void SendThree(SharedArena arena)
{
    Cast.Send(arena, arena.OpenMulticastPort("m"), 0, 1, 2);
    Console.WriteLine("sent");
    Console.ReadLine();
}

// Has the receiving end, says so, and is killed.
static void Await(SharedArena arena, string port)
{
    arena.OpenReceivePort(port);
    Console.WriteLine("awaits");
    Console.ReadLine();
}

// Waits in vain, and says how many seconds of the processor that took.
static void Idle(SharedArena arena, string port)
{
    using ReceivePort receiver = arena.OpenReceivePort(port);
    receiver.TryReceive(TimeSpan.FromMilliseconds(100), out _);
    TimeSpan before = Process.GetCurrentProcess().TotalProcessorTime;
    receiver.TryReceive(TimeSpan.FromSeconds(2), out _);
    Console.WriteLine((Process.GetCurrentProcess().TotalProcessorTime - before).TotalSeconds.ToString(CultureInfo.InvariantCulture));
    arena.Dispose();
}

// Goes to a step, says so, and is killed there.
static void StopAt(string path, PortCrashPoint step)
{
    Troublemaker.StopAt(step);
    SharedArena.Open(ArenaDirectory.Name, ArenaDirectory.Options(path)).Allocate(10_000);
}

static SharedArena OpenTroubled(string[] args)
{
    CrashPointHook<PortCrashPoint>.Passed = new Troublemaker(int.Parse(args[4]), int.Parse(args[6]), delayOneIn: 300).At;
    Mutations.Planted = name => name == args[5];
    return SharedArena.Open(ArenaDirectory.Name, ArenaDirectory.Options(args[1], 1 << 19, 1024));
}
