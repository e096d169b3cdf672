using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Tests.Failures;

/// <summary>One process owns a directory, whatever the environment says, and for as long as it lives.</summary>
public sealed class LockTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    private string PilePath => Path.Combine(_temporary.Path, "pile");

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    public void The_runtimes_switch_for_locks_lets_no_second_owner_in(string isDisabled)
    {
        using Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 });
        (int code, string text) = Probe(isDisabled);
        Assert.True(code == 3, text);
        Assert.Contains($"process {Environment.ProcessId}", text, StringComparison.Ordinal);
        pile.Dispose();
        (code, text) = Probe(isDisabled);
        Assert.True(code == 0, text);
    }

    /// <summary>A program that the owner started does not hold the lock beyond it.</summary>
    [Fact]
    public void The_lock_is_not_inherited()
    {
        if (!OperatingSystem.IsLinux() && !OperatingSystem.IsMacOS())
            return; // no handle is inherited there unless it is asked for
        Process child;
        using (Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 }))
            child = Process.Start(new ProcessStartInfo("sleep", ["60"]))!;
        try
        {
            Pile.Open(PilePath).Dispose();
        }
        finally
        {
            child.Kill();
            child.WaitForExit();
            child.Dispose();
        }
    }

    /// <summary>
    /// Between its birth and its first instruction a program has the handles of whoever starts it, and with them the lock's.
    /// </summary>
    [Fact]
    public async Task The_lock_is_free_at_once_while_programs_are_being_started()
    {
        if (OperatingSystem.IsWindows())
            return;
        using var stopping = new CancellationTokenSource();
        Task starting = SideBySide.Start(() =>
        {
            while (!stopping.IsCancellationRequested)
            {
                using Process process = Process.Start(new ProcessStartInfo("true"))!;
                process.WaitForExit();
            }
        });
        try
        {
            for (int i = 0; i < TestLeg.Steps(50, 2_000); i++)
                Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 }).Dispose();
        }
        finally
        {
            await stopping.CancelAsync();
            await starting;
        }
    }

    private (int Code, string Text) Probe(string isDisabled)
    {
        string assembly = Path.Combine(SourceTree.Root, "artifacts", "bin", "Probe", Configuration, "Probe.dll");
        var start = new ProcessStartInfo("dotnet", [assembly, PilePath]) { RedirectStandardOutput = true };
        start.Environment["DOTNET_SYSTEM_IO_DISABLEFILELOCKING"] = isDisabled;
        using Process process = Process.Start(start)!;
        string text = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, text);
    }

    // The last part of where this assembly lies.
    private static string Configuration => Path.GetFileName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory));
}
