using System;
using System.IO;

namespace BigPile.Ports.Tests;

/// <summary>A directory in memory for an arena, which goes with the test.</summary>
internal sealed class ArenaDirectory : IDisposable
{
    internal const string Name = "test";

    internal string Path { get; } = System.IO.Path.Combine(
        OperatingSystem.IsLinux() ? "/dev/shm" : System.IO.Path.GetTempPath(), "bigpile-test-" + Guid.NewGuid().ToString("N"));

    internal SharedArena Open(long capacityBytes = 1 << 20, int granuleBytes = 4096) =>
        SharedArena.Open(Name, Options(Path, capacityBytes, granuleBytes));

    internal static SharedArenaOptions Options(string path, long capacityBytes = 1 << 20, int granuleBytes = 4096) => new()
    {
        Directory = path,
        CapacityBytes = capacityBytes,
        GranuleBytes = granuleBytes,
        MaxPorts = 16,
        MaxDepth = 16,
    };

    public void Dispose()
    {
        if (Directory.Exists(Path))
            Directory.Delete(Path, recursive: true);
    }
}
