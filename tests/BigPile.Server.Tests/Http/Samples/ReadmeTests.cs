using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Server.Tests.Http.Samples;

public sealed class ReadmeTests
{
    [Fact]
    public void The_readme_shows_what_is_compiled_here()
    {
        string readme = File.ReadAllText(Path.Combine(SourceTree.Root, "src/BigPile.Http/README.md"));
        string[] lines = File.ReadAllLines(Path.Combine(SourceTree.Root, "tests/BigPile.Server.Tests/Http/Samples/Endpoints.cs"));
        int first = Array.FindIndex(lines, static line => line.Trim() == "// README: endpoints") + 1;
        int last = Array.FindIndex(lines, first, static line => line.Trim() == "// README: end of endpoints");
        IEnumerable<string> sample = lines[first..last];
        int indent = sample.Where(static line => line.Length > 0).Min(static line => line.Length - line.TrimStart().Length);
        string text = string.Join('\n', sample.Select(line => line.Length > 0 ? line[indent..] : line));
        Assert.Contains(text, readme, StringComparison.Ordinal);
    }
}
