using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Hash;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>The command <c>verify</c>: checks a pile's directory or a hash database, and changes nothing.</summary>
internal static class VerifyCommand
{
    private const int Sound = 0;
    private const int Faulty = 1;
    private const int Refused = 2;

    internal static Command Create()
    {
        var directory = new Argument<string>("PATH")
        {
            Description = "The directory of a pile, or the file of a hash database, that no process has open.",
        };
        var command = new Command(
            "verify",
            "Checks every block of a pile on disk, or every record of a hash database, and changes nothing. "
            + "Exit code 0: it is sound; 1: it has faults; 2: it is in use or can't be opened.")
        {
            directory,
        };
        command.SetAction((result, cancellationToken) => RunAsync(
            result.GetRequiredValue(directory), TimeProvider.System, result.InvocationConfiguration, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        string directory, TimeProvider time, InvocationConfiguration console, CancellationToken cancellationToken)
    {
        try
        {
            bool isSound = await Task.Run(
                () => DatabaseFile.IsMeant(directory)
                    ? VerifyDatabase(directory, time, console.Output)
                    : VerifyPile(directory, time, console.Output, cancellationToken),
                cancellationToken).ConfigureAwait(false);
            return isSound ? Sound : Faulty;
        }
        catch (Exception e) when (IsRefusal(e))
        {
            string what = DatabaseFile.IsMeant(directory) ? "database" : "pile";
            await console.Error.WriteLineAsync($"The {what} could not be verified: {e.Message}").ConfigureAwait(false);
            return Refused;
        }
        catch (OperationCanceledException)
        {
            await console.Error.WriteLineAsync("The verification was stopped before its end.").ConfigureAwait(false);
            return Refused;
        }
    }

    private static bool IsRefusal(Exception e) =>
        e is PileException or HashDatabaseException or IOException or UnauthorizedAccessException or ArgumentException;

    private static bool VerifyPile(string directory, TimeProvider time, TextWriter output, CancellationToken cancellationToken)
    {
        long startedAt = time.GetTimestamp();
        PileVerification found = Pile.VerifyDirectory(directory, null, cancellationToken);
        Report(found, Path.GetFullPath(directory), time.GetElapsedTime(startedAt), output);
        return found.IsSound;
    }

    private static bool VerifyDatabase(string path, TimeProvider time, TextWriter output)
    {
        long startedAt = time.GetTimestamp();
        HashVerification found = HashDatabase.Verify(path);
        DatabaseFile.Report(found, Path.GetFullPath(path), time.GetElapsedTime(startedAt), output);
        return found.IsSound;
    }

    private static void Report(PileVerification found, string path, TimeSpan elapsed, TextWriter output)
    {
        double gigabytesPerSecond = found.PageBytes / 1e9 / Math.Max(elapsed.TotalSeconds, 1e-6);
        output.WriteLine($"Verified the pile in {path}");
        output.WriteLine($"  last owner  {(found.WasClean ? "closed it" : "did not close it")}");
        output.WriteLine($"  checksums   {(found.HasChecksums ? "yes" : "no: only what describes the payloads could be checked")}");
        if (found.LegacyChecksumCount != 0)
            output.WriteLine(
                $"  old sums    {found.LegacyChecksumCount:N0} blocks with the weaker checksum of formats 1 to 6, until they are replaced");
        output.WriteLine($"  segments    {found.SegmentCount:N0}");
        output.WriteLine($"  pages       {found.PageCount:N0} in use");
        output.WriteLine($"  blocks      {found.BlockCount:N0} with {Counted.Of(found.PayloadBytes, "byte")} of payload");
        if (found.TraceCount != 0)
            output.WriteLine($"  traces      {found.TraceCount:N0} of changes that had not ended; the next opening removes them");
        output.WriteLine("  not looked at: the tables' indexes, which the next opening compares, and whether anything is missing");
        output.WriteLine($"  time        {elapsed.TotalSeconds:F2} s, {gigabytesPerSecond:F2} GB/s");
        foreach (PileFault fault in found.Faults)
            output.WriteLine($"Fault: {fault}");
        if (found.FaultCount > found.Faults.Count)
            output.WriteLine($"… and {found.FaultCount - found.Faults.Count:N0} more");
        output.WriteLine(found.IsSound
            ? "No faults."
            : $"Faults: {found.FaultCount:N0}. What they name is dropped at the next opening, or keeps it from opening.");
    }
}
