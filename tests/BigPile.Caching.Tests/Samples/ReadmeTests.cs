using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Samples;

public sealed class ReadmeTests
{
    [Fact]
    public void The_first_example_runs_and_its_table_comes_back()
    {
        using var directory = new TemporaryDirectory();
        Assert.Equal("Ada Lovelace", FirstSteps.Run(directory.Path));
        using var cache = new PileCache(Pile.Open(directory.Path), ownsPile: true);
        Assert.Equal("Ada Lovelace", cache.GetOrCreateTable<string, FirstSteps.Person>("people").Get("ada").Name);
        Assert.Empty(cache.Advice());
    }

    [Fact]
    public void The_example_of_pointers_runs()
    {
        using var pile = new Pile();
        Assert.Equal(("Ada Lovelace", false), FirstSteps.UsePointers(pile));
    }

    [Fact]
    public void The_example_of_durability_runs()
    {
        using var directory = new TemporaryDirectory();
        Assert.Equal((true, true, "kept"), Durability.Run(directory.Path));
    }

    [Fact]
    public async Task The_example_of_tables_runs()
    {
        using var directory = new TemporaryDirectory();
        using var cache = new PileCache(Pile.Open(directory.Path), ownsPile: true);
        Assert.Equal("page 7", await Tables.RunAsync(cache, static (key, _) => ValueTask.FromResult($"page {key}")));
        Assert.Empty(cache.Advice());
    }

    [Theory]
    [InlineData("README.md", "FirstSteps.cs", "// README: first example", "// README: end")]
    [InlineData("README.md", "FirstSteps.cs", "// README: pointers", "// README: end of pointers")]
    [InlineData("README.md", "FirstSteps.cs", "// README: class", "// README: end of class")]
    [InlineData("src/BigPile/README.md", "Durability.cs", "// README: durability", "// README: end of durability")]
    [InlineData("README.md", "Tables.cs", "// README: tables", "// README: end of tables")]
    public void The_readme_shows_what_is_compiled_here(string document, string file, string from, string to)
    {
        string readme = File.ReadAllText(Path.Combine(SourceTree.Root, document)).Replace("\"data\")", "data)", StringComparison.Ordinal);
        string sample = File.ReadAllText(Path.Combine(SourceTree.Root, "tests/BigPile.Caching.Tests/Samples", file));
        string[] lines = sample.Split('\n');
        int first = Array.FindIndex(lines, line => line.Trim() == from) + 1;
        int last = Array.FindIndex(lines, first, line => line.Trim() == to);
        IEnumerable<string> excerpt = lines[first..last];
        int indent = excerpt.Where(static line => line.Length > 0).Min(static line => line.Length - line.TrimStart().Length);
        string text = string.Join('\n', excerpt.Select(line => line.Length > 0 ? line[indent..] : line));
        Assert.Contains(text, readme, StringComparison.Ordinal);
    }
}
