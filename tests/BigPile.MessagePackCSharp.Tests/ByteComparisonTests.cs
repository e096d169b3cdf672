using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using MessagePack;
using Xunit.Abstractions;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>
/// Types in the library's format have the library's bytes, and are read both ways, or are refused by name. The codec's README has a table
/// of the exceptions, with a column for each version of the library: a run with <c>BIGPILE_APPROVE=1</c> writes its version's column.
/// </summary>
public sealed class ByteComparisonTests(ITestOutputHelper output)
{
    private const string Begin = "<!-- written by ByteComparisonTests -->";
    private const string End = "<!-- end -->";

    private static readonly string[] Versions = ["2.5", "3.1"];
    private static readonly string Readme = Path.Combine(SourceTree.Root, "src", "BigPile.Codec", "README.md");

    private static int Column => Array.IndexOf(Versions, typeof(MessagePackSerializer).Assembly.GetName().Version!.ToString(2));

    [Fact]
    public void Every_member_has_the_bytes_of_the_library_or_is_in_the_table()
    {
        Assert.InRange(Column, 0, Versions.Length - 1);
        (string Name, string Result)[] results = [.. MemberKinds.All().Select(static kind => (kind.Name, kind.Compare()))];
        foreach (IGrouping<string, (string Name, string Result)> group in results.GroupBy(static result => result.Result))
            output.WriteLine($"{group.Key}: {group.Count()} of {results.Length}");
        Assert.All(results, static result => Assert.Contains(
            result.Result, (string[])[ByteComparison.Same, ByteComparison.Refused, ByteComparison.Lacking]));
        Assert.True(results.Length >= 150);
        Assert.True(results.Count(static result => result.Result == ByteComparison.Same) >= 100);

        Dictionary<string, string[]> table = ReadTable();
        if (Environment.GetEnvironmentVariable("BIGPILE_APPROVE") == "1")
        {
            WriteTable(results, table);
            table = ReadTable();
        }
        Assert.Equal(
            results.Where(static result => result.Result != ByteComparison.Same).Order(),
            table.Select(static row => (row.Key, row.Value[Column])).Where(static row => row.Item2 != ByteComparison.Same).Order());
    }

    private static Dictionary<string, string[]> ReadTable()
    {
        string text = File.ReadAllText(Readme);
        text = text[text.IndexOf(Begin, StringComparison.Ordinal)..text.IndexOf(End, StringComparison.Ordinal)];
        return text.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal))
            .Select(static line => line.Split(" | "))
            .ToDictionary(static cells => cells[0].Trim('|', ' ', '`'), static cells => cells[1..].Select(
                static cell => cell.Trim('|', ' ')).ToArray());
    }

    private static void WriteTable((string Name, string Result)[] results, Dictionary<string, string[]> former)
    {
        var lines = new List<string> { Begin, $"| | {string.Join(" | ", Versions)} |", "| --- | --- | --- |" };
        foreach ((string name, string result) in results)
        {
            string[] cells = former.GetValueOrDefault(name) ?? [.. Versions.Select(static _ => ByteComparison.Same)];
            cells[Column] = result;
            if (cells.Any(static cell => cell != ByteComparison.Same))
                lines.Add($"| `{name}` | {string.Join(" | ", cells)} |");
        }
        string text = File.ReadAllText(Readme);
        int begin = text.IndexOf(Begin, StringComparison.Ordinal);
        File.WriteAllText(
            Readme, text[..begin] + string.Join('\n', lines) + "\n" + text[text.IndexOf(End, StringComparison.Ordinal)..]);
    }
}
