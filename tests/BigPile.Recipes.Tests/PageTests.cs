using System;
using System.IO;
using System.Linq;

namespace BigPile.Recipes.Tests;

/// <summary>The page of recipes shows what is compiled and run here.</summary>
public sealed class PageTests
{
    private const string Begin = "// recipe: ";
    private const int Indent = 8;
    private const int MostLines = 20;

    [Fact]
    public void Each_recipe_stands_on_the_page_as_it_is_compiled()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "RECIPES.md"));
        string[] lines = [.. Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "tests", "BigPile.Recipes.Tests"), "Recipes*.cs")
            .Order(StringComparer.Ordinal).SelectMany(File.ReadAllLines)];
        int[] begins = [.. Enumerable.Range(0, lines.Length).Where(i => IsMark(lines[i]) && !IsEnd(lines[i]))];
        Assert.NotEmpty(begins);
        foreach (int begin in begins)
        {
            int end = Array.FindIndex(lines, begin, IsEnd);
            Assert.InRange(end - begin - 1, 1, MostLines);
            string recipe = string.Join('\n', lines[(begin + 1)..end].Select(static line => line[Indent..]));
            Assert.Contains($"```csharp\n{recipe}\n```\n", page, StringComparison.Ordinal);
        }
        Assert.Equal(begins.Length, page.Split("```csharp\n").Length - 1);
    }

    private static bool IsMark(string line) => line.Trim().StartsWith(Begin, StringComparison.Ordinal);

    private static bool IsEnd(string line) => line.Trim() == Begin + "end";
}
