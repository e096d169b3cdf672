using System;
using System.IO;
using System.Runtime.Versioning;

namespace BigPile.Tests.SharedPiles;

/// <summary>A test of a shared pile in a directory in memory.</summary>
[SupportedOSPlatform("linux")]
public abstract class SharedPileTest : IDisposable
{
    internal const long SegmentBytes = 4 << 20;

    protected string RootPath { get; } = Path.Combine("/dev/shm", "bigpile-test-" + Guid.NewGuid().ToString("N"));

    protected string PilePath => Path.Combine(RootPath, "pile");

    protected SharedPileTest() => Directory.CreateDirectory(RootPath);

    internal static PileOptions Options { get; } = new() { Shared = true, SegmentBytes = SegmentBytes };

    internal static PileOptions ReaderOptions { get; } = new() { Shared = true, ReadOnly = true };

    public void Dispose()
    {
        Directory.Delete(RootPath, recursive: true);
        GC.SuppressFinalize(this);
    }

    internal Pile Open() => Pile.Open(PilePath, Options);

    internal Pile OpenReader() => Pile.Open(PilePath, ReaderOptions);

    /// <summary>Copies the files as a kill at this instant leaves them, and gives the copy's directory.</summary>
    internal string CopyKilled(string name)
    {
        string copy = Path.Combine(RootPath, name);
        KilledPile.Copy(PilePath, copy);
        File.SetUnixFileMode(copy, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return copy;
    }
}
