using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>The command <c>verify</c>: looks at everything in a pile's directory, and changes nothing.</summary>
internal static class VerifyCommand
{
    private const int Sound = 0;
    private const int Faulty = 1;
    private const int Refused = 2;

    internal static Command Create()
    {
        var directory = new Argument<string>("DIRECTORY") { Description = "The directory of a pile that no process has open." };
        var command = new Command(
            "verify",
            "Checks every block of a pile on disk and changes nothing. Exit code 0: it is sound; 1: it has faults; 2: it is in use or "
            + "can't be opened.")
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
            long startedAt = time.GetTimestamp();
            PileVerification found =
                await Task.Run(() => Pile.VerifyDirectory(directory, null, cancellationToken), cancellationToken).ConfigureAwait(false);
            Report(found, Path.GetFullPath(directory), time.GetElapsedTime(startedAt), console.Output);
            return found.IsSound ? Sound : Faulty;
        }
        catch (Exception e) when (e is PileException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            await console.Error.WriteLineAsync($"The pile could not be verified: {e.Message}").ConfigureAwait(false);
            return Refused;
        }
        catch (OperationCanceledException)
        {
            await console.Error.WriteLineAsync("The verification was stopped before its end.").ConfigureAwait(false);
            return Refused;
        }
    }

    private static void Report(PileVerification found, string path, TimeSpan elapsed, TextWriter output)
    {
        double gigabytesPerSecond = found.PageBytes / 1e9 / Math.Max(elapsed.TotalSeconds, 1e-6);
        output.WriteLine($"Verified the pile in {path}");
        output.WriteLine($"  last owner  {(found.WasClean ? "closed it" : "did not close it")}");
        output.WriteLine($"  checksums   {(found.HasChecksums ? "yes" : "no: only what describes the payloads could be checked")}");
        output.WriteLine($"  segments    {found.SegmentCount:N0}");
        output.WriteLine($"  pages       {found.PageCount:N0} in use");
        output.WriteLine($"  blocks      {found.BlockCount:N0} with {Counted.Of(found.PayloadBytes, "byte")} of payload");
        if (found.TraceCount != 0)
            output.WriteLine($"  traces      {found.TraceCount:N0} of changes that had not ended; the next opening removes them");
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
