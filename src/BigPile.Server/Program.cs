using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Commands;
using BigPile.Server.Hosting;

namespace BigPile.Server;

/// <summary>The server and its commands.</summary>
internal static class Program
{
    private const string Description = """
        BigPile: tables of payloads in memory-mapped files, served over HTTP byte for byte.

        Without a command the server starts. Its settings, on the command line, in the environment (with __ for :) or in appsettings.json:
          --urls http://127.0.0.1:5080     where it listens
          --Pile:Directory=./data          the pile's directory
          --Pile:Store=Native              keep it in memory and not in a directory
          --Pile:SegmentBytes=256m         the size of a new pile's segments
          --Pile:MaxBytes=64g              the most bytes that it may take; in memory 70% of it by default, in files no limit
          --Pile:FlushSeconds=10           flush so often: what was flushed survives a power cut; never by itself by default
          --Pile:Warmup=Touch              what is read in the background at the start: Off, Advise, Touch or Verify
          --Pile:WarmupBytesPerSecond=200m how fast; no limit by default
          --Pile:Checksums=AtFirstUse      when payloads are compared with theirs: Off, AtFirstUse or AtEveryRead
          --Server:MaxBodyBytes=32m        the most bytes of a payload that a client may put
          --Security:AdminUrl=URL          a port of its own for what needs the scope admin
          --Security:AllowWithoutKeys=true listen where other machines reach it, and ask nobody for a key (the verb 'key' makes one)
          --Security:AllowWithoutTls=true  listen where other machines reach it, and encrypt nothing
          --Tls:CertificatePath=FILE       the certificate of https addresses; --Tls:KeyPath=FILE its key
          --Server:LoadSample=false        leave an empty pile empty
          --Otlp:Endpoint=URL              send metrics, traces and the log to a collector of OpenTelemetry
          --Server:LogEntryReads=true      log reads of entries
          --Server:DrainSeconds=60         how long a stop waits for requests that run
          --Http:FastDoor=false            send plain reads through the full HTTP stack too
          --Http:InlineScheduling=true     run requests on the network's threads; only if the pile is in memory
          --Http:MaxLeaseSeconds=10        after which the rest of a large payload is copied for a slow client
        """;

    private static readonly TimeSpan StopTimeout = TimeSpan.FromMinutes(5);

    private static Task<int> Main(string[] args) => RunAsync(args, Console.Out, Console.Error);

    /// <summary>Runs the program.</summary>
    /// <param name="args">The command line.</param>
    /// <param name="output">The output of commands.</param>
    /// <param name="error">The output of errors.</param>
    /// <returns>The exit code.</returns>
    internal static Task<int> RunAsync(string[] args, TextWriter output, TextWriter error)
    {
        // The configuration reads settings, under any name; only other arguments are commands.
        bool isCommand = args.Length != 0 && (!args[0].StartsWith('-') || IsQuestion(args[0]));
        return isCommand ? RunCommandAsync(args, output, error) : ServerRun.RunAsync(args, error);
    }

    private static Task<int> RunCommandAsync(string[] args, TextWriter output, TextWriter error)
    {
        RootCommand root =
        [
            LoadCommand.Create(), ExportCommand.Create(), StatsCommand.Create(), HealthCommand.Create(), VerifyCommand.Create(), KeyCommand
                .Create(),
        ];
        root.Description = Description;
        return root.Parse(args).InvokeAsync(
            new InvocationConfiguration { Output = output, Error = error, ProcessTerminationTimeout = StopTimeout });
    }

    private static bool IsQuestion(string argument) => new[] { "-h", "-?", "--help", "--version" }.Contains(argument);
}
