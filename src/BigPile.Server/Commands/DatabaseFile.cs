using System;
using System.IO;
using System.Text.Json.Nodes;
using BigPile.Hash;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>A hash database, as commands read it that accept a file in place of a directory. Nothing in it is changed.</summary>
internal static class DatabaseFile
{
    /// <summary>Whether a path given to a command means a database: it is a file.</summary>
    internal static bool IsMeant(string? path) => File.Exists(path);

    /// <summary>Describes its content as JSON.</summary>
    internal static JsonNode Describe(string path)
    {
        using HashDatabase database = HashDatabase.Open(path, new HashDatabaseOptions { ReadOnly = true });
        HashStatistics statistics = database.GetStatistics();
        return new JsonObject
        {
            ["file"] = database.Path,
            ["records"] = statistics.Records,
            ["buckets"] = statistics.Buckets,
            ["fileBytes"] = statistics.FileBytes,
            ["indexBytes"] = statistics.IndexBytes,
            ["liveBytes"] = statistics.LiveBytes,
            ["freeBytes"] = statistics.FreeBytes,
            ["waitingBytes"] = statistics.WaitingBytes,
        };
    }

    /// <summary>Writes the result of a verification.</summary>
    internal static void Report(HashVerification found, string path, TimeSpan elapsed, TextWriter output)
    {
        output.WriteLine($"Verified the hash database {path}");
        output.WriteLine($"  records     {found.Records:N0}");
        output.WriteLine($"  looked at   {Counted.Of(found.CheckedBytes, "byte")}");
        double gigabytesPerSecond = found.CheckedBytes / 1e9 / Math.Max(elapsed.TotalSeconds, 1e-6);
        output.WriteLine($"  time        {elapsed.TotalSeconds:F2} s, {gigabytesPerSecond:F2} GB/s");
        foreach (string problem in found.Problems)
            output.WriteLine($"Fault: {problem}");
        output.WriteLine(found.IsSound ? "No faults." : $"Faults: {found.Problems.Length:N0}.");
    }
}
