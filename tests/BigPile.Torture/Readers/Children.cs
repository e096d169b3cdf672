using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;

namespace BigPile.Torture.Readers;

/// <summary>Starting the processes of a run, and what they run.</summary>
internal static class Children
{
    internal const string WriteVerb = "readers-write";
    internal const string ReadVerb = "readers-read";

    internal static bool IsVerb(string verb) => verb is WriteVerb or ReadVerb;

    /// <summary>Starts a process.</summary>
    /// <param name="verb">What it does.</param>
    /// <param name="directory">The run's directory.</param>
    /// <param name="seed">Its seed.</param>
    /// <param name="number">Of a reader its number, of a writer that of its threads.</param>
    /// <param name="variation">Of a reader the check that it leaves out, of a writer the window that it waits in; or nothing.</param>
    internal static Process Start(string verb, string directory, ulong seed, int number, string variation)
    {
        string program = Environment.ProcessPath!;
        var start = new ProcessStartInfo(program) { RedirectStandardInput = true };
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
            start.ArgumentList.Add(typeof(Children).Assembly.Location);
        foreach (string argument in new[] { verb, directory, seed.ToString(
            CultureInfo.InvariantCulture), number.ToString(CultureInfo.InvariantCulture), variation })
            start.ArgumentList.Add(argument);
        start.Environment["DOTNET_EnableDiagnostics"] = "0"; // what is killed would leave its sockets behind
        start.Environment["DOTNET_TieredPGO"] = "0"; // a tight loop is measured from its first second
        if (verb == WriteVerb && variation.Length != 0)
        {
            start.Environment[Pauses.SeedVariable] = (seed + 1).ToString(CultureInfo.InvariantCulture);
            start.Environment[Pauses.FavouredVariable] = variation;
        }
        if (verb == ReadVerb)
            start.Environment[Pauses.MutationVariable] = variation;
        return Process.Start(start)!;
    }

    internal static int Run(string[] args)
    {
        if (args.Length != 5)
            throw new BadArgumentException("This verb is for the torture's own children.");
        ChildProcess.EndWithParent();
        string directory = args[1];
        ulong seed = ulong.Parse(args[2], CultureInfo.InvariantCulture);
        int number = int.Parse(args[3], CultureInfo.InvariantCulture);
        using Board board = Board.Open(directory);
        if (args[0] == WriteVerb)
            return WritingProcess.Run(board, directory, seed, threads: number);
        return ReadingProcess.Run(board, directory, seed, number);
    }
}
