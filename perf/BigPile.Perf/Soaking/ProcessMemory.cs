using System;
using System.Globalization;
using System.IO;

namespace BigPile.Perf.Soaking;

/// <summary>The memory of this process, as the system tells it.</summary>
/// <param name="ResidentBytes">All that is in memory, pages of mapped files included.</param>
/// <param name="PrivateBytes">Of that, what is no file's; <see langword="null"/> where the system does not say.</param>
internal readonly record struct ProcessMemory(long ResidentBytes, long? PrivateBytes)
{
    private const string Status = "/proc/self/status";

    internal static ProcessMemory Now()
    {
        if (!File.Exists(Status))
            return new ProcessMemory(Environment.WorkingSet, null);
        (long resident, long? own) = (0, null);
        foreach (string line in File.ReadLines(Status))
        {
            if (line.StartsWith("VmRSS:", StringComparison.Ordinal))
                resident = BytesIn(line);
            if (line.StartsWith("RssAnon:", StringComparison.Ordinal))
                own = BytesIn(line);
        }
        return new ProcessMemory(resident, own);
    }

    private static long BytesIn(string line) =>
        long.Parse(line.AsSpan(line.IndexOf(':') + 1).Trim().TrimEnd(" kB"), CultureInfo.InvariantCulture) * 1024;
}
