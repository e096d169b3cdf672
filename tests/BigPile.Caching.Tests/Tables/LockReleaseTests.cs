using System;
using System.Collections.Generic;
using System.IO;
using System.Text.RegularExpressions;

namespace BigPile.Caching.Tests.Tables;

/// <summary>
/// A lock of the tables is let go whatever is thrown under it: a bucket is disposed, and what is locked by hand stands before a try block.
/// </summary>
public sealed partial class LockReleaseTests
{
    // The index hands locks to its callers.
    private static readonly HashSet<string> Handing = ["TableIndex.cs"];

    [Fact]
    public void Every_lock_that_is_taken_is_let_go_in_a_finally_block()
    {
        var found = new List<string>();
        int taken = 0;
        string sources = Path.Combine(SourceTree.Root, "src", "BigPile.Caching");
        foreach (string file in Directory.EnumerateFiles(sources, "*.cs", SearchOption.AllDirectories))
        {
            string[] lines = File.ReadAllLines(file);
            for (int i = 0; i < lines.Length - 1 && !Handing.Contains(Path.GetFileName(file)); i++)
            {
                bool isOfControl = i > 0 && lines[i - 1].Contains("if (Mutation.", StringComparison.Ordinal);
                if (!Taking().IsMatch(lines[i]) || lines[i].Contains(").Dispose();", StringComparison.Ordinal) || isOfControl)
                    continue;
                taken++;
                if (!lines[i].TrimStart().StartsWith("using LockedBucket ", StringComparison.Ordinal) && lines[i + 1].Trim() != "try")
                    found.Add($"{Path.GetFileName(file)}:{i + 1}: {lines[i].Trim()}");
            }
        }
        Assert.Empty(found);
        Assert.True(taken > 15, $"Only {taken} places were found that take a lock: the pattern no longer fits the code.");
    }

    [GeneratedRegex(@"\b(_index|Index)\.Lock\(|\.LockBucket\(|_lock\.Enter\(\)")]
    private static partial Regex Taking();
}
