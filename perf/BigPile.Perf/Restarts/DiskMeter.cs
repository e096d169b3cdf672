using System;
using System.Globalization;
using System.IO;

namespace BigPile.Perf.Restarts;

/// <summary>The bytes that all processes have written to the machine's disks; none where the system does not report it.</summary>
internal static class DiskMeter
{
    private const string StatisticsPath = "/proc/diskstats";
    private const int SectorBytes = 512;
    private const int NameField = 2;
    private const int WrittenSectorsField = 9;

    internal static long? WrittenBytes()
    {
        if (!File.Exists(StatisticsPath))
            return null;
        long sectors = 0;
        foreach (string line in File.ReadLines(StatisticsPath))
        {
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length > WrittenSectorsField && IsDisk(fields[NameField]))
                sectors += long.Parse(fields[WrittenSectorsField], CultureInfo.InvariantCulture);
        }
        return sectors * SectorBytes;
    }

    // A whole disk: its partitions are counted in it, and what lies on another device is not counted twice.
    private static bool IsDisk(string name) =>
        Directory.Exists($"/sys/block/{name}/device");
}
