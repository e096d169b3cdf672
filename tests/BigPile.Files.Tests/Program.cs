using System;
using System.IO;
using BigPile.Files;
using BigPile.Files.Tests;

// What tests start as another process. The first argument says what it does; the last one is the file.
BlockFile.TryParseKind(args[1], out BlockFileKind kind);
string path = args[^1];
switch (args[0])
{
    case "open":
        try
        {
            BlockFile.Open(kind, path, new BlockFileOptions { ReadOnly = args[2] == "reading" }).Dispose();
            Console.WriteLine("opened");
        }
        catch (IOException e)
        {
            Console.WriteLine($"{e.GetType().Name}: {e.Message}");
        }
        return 0;
    case "write":
        WriteUntilKilled(BlockFile.Open(kind, path));
        return 0;
    case "grow":
        GuardRun.Grow(kind, path, isGuarded: args[2] == "guarded");
        Console.WriteLine("whole");
        return 0;
    default:
        return 2;
}

static void WriteUntilKilled(IBlockFile file)
{
    var block = new byte[Blocks.Bytes];
    while (true)
    {
        long number = file.Size / Blocks.Bytes;
        Blocks.Fill(block, number, 0);
        file.Append(block);
        Console.WriteLine(number);
    }
}
