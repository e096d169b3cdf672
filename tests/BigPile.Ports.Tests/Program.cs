using System;
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
        StopAt(args[1], Enum.Parse<Step>(args[2]));
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

// Goes to a step, says so, and is killed there.
static void StopAt(string path, Step step)
{
    var watch = new Watch(
        at =>
        {
            if (at != step)
                return;
            Console.WriteLine("stopped");
            Console.ReadLine();
        }, Twin.None);
    SharedArena arena = SharedArena.Open(ArenaDirectory.Name, ArenaDirectory.Options(path, 1 << 20, 4096, watch));
    arena.Allocate(10_000);
}
