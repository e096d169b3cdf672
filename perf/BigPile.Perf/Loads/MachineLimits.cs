using System;
using System.Globalization;
using System.IO;

namespace BigPile.Perf.Loads;

/// <summary>Checks whether a load fits the machine.</summary>
/// <remarks>
/// The system overcommits memory, and kills the process that then uses it. So a load that can't fit is refused before it starts, and the
/// pile is limited to free memory.
/// </remarks>
internal static class MachineLimits
{
    /// <summary>The limit of a pile whose load was compared with the memory that is free: none.</summary>
    internal const long Checked = long.MaxValue;

    private const int PointerBytes = 8;
    private const int HeaderBytes = 8;
    private const long MinLimitBytes = 1 << 20;

    /// <summary>Refuses a load that needs more than there is.</summary>
    /// <param name="options">The load.</param>
    /// <param name="directory">Where a mapped pile will be.</param>
    /// <returns>The most bytes that the pile's segments may take.</returns>
    internal static long LimitFor(InsertOptions options, WorkDirectory? directory)
    {
        long ownBytes = (long)options.Count * PointerBytes + options.Payload.LengthBytes * (options.Threads + 1L);
        long pileBytes = options.Count * ((long)options.Payload.LengthBytes + HeaderBytes);
        long freeMemoryBytes = FreeMemoryBytes();
        string load = string.Create(CultureInfo.InvariantCulture, $"--count {options.Count} of {options.Payload}");
        if (directory == null)
        {
            Require(
                load, ownBytes + pileBytes, freeMemoryBytes, "memory", "Lower --count or the size of --payload, or use --store mapped.");
            return options.MaxBytes ?? Math.Max(MinLimitBytes, freeMemoryBytes - ownBytes);
        }
        Require(load, ownBytes, freeMemoryBytes, "memory", "Lower --count.");
        Require(
            load, pileBytes, FreeDiskBytes(directory.Path), $"space in '{directory.Path}'",
            "Lower --count or the size of --payload, or name a --dir on a larger disk.");
        return options.MaxBytes ?? long.MaxValue;
    }

    /// <summary>Refuses a load that needs more of something than there is.</summary>
    /// <param name="load">The load, as the user wrote it.</param>
    /// <param name="neededBytes">The bytes that it needs.</param>
    /// <param name="freeBytes">The bytes that are free.</param>
    /// <param name="what">What is needed: memory or disk space.</param>
    /// <param name="remedy">The remedy, as a sentence.</param>
    internal static void Require(string load, long neededBytes, long freeBytes, string what, string remedy)
    {
        if (neededBytes <= freeBytes)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture, $"{load} needs {neededBytes:N0} bytes of {what}, and {freeBytes:N0} are free. {remedy}"));
    }

    /// <summary>Refuses a soak that needs more memory or disk space than is free: twice its live bytes, and its own data.</summary>
    /// <param name="options">The load.</param>
    /// <param name="directory">Where a mapped pile will be.</param>
    internal static void RequireFor(SoakOptions options, WorkDirectory? directory) => Require(
        $"--megabytes {options.Megabytes}", options.Megabytes * 2_000_000L,
        directory == null ? FreeMemoryBytes() : FreeDiskBytes(directory.Path),
        directory == null ? "memory" : $"space in '{directory.Path}'", "Lower --megabytes.");

    /// <summary>The bytes of memory that are free.</summary>
    /// <remarks>The runtime updates the machine's or container's load whenever it collects.</remarks>
    internal static long FreeMemoryBytes()
    {
        GC.Collect();
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        return Math.Max(0, info.TotalAvailableMemoryBytes - info.MemoryLoadBytes);
    }

    /// <summary>The bytes that are free on the disk of a directory.</summary>
    internal static long FreeDiskBytes(string path) =>
        new DriveInfo(OperatingSystem.IsWindows() ? Path.GetPathRoot(path)! : path).AvailableFreeSpace;
}
