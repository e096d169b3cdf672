using System.IO;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>The map in src/README.md lists every folder.</summary>
public sealed class MapTests
{
    [Theory]
    [InlineData("BigPile.Files")]
    [InlineData("BigPile.Hash")]
    [InlineData("BigPile.Ports")]
    [InlineData("BigPile")]
    [InlineData("BigPile.Caching")]
    [InlineData("BigPile.AspNetCore")]
    [InlineData("BigPile.Http")]
    public void Each_folder_of_a_project_is_in_the_row_of_its_project(string project)
    {
        string sources = Path.Combine(SourceTree.Root, "src");
        string row = File.ReadLines(Path.Combine(sources, "README.md")).Single(line => line.StartsWith($"| [`{project}`]"));
        string[] folders =
        [
            .. Directory.EnumerateDirectories(Path.Combine(sources, project))
                .Where(static folder => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories).Any())
                .Select(static folder => Path.GetFileName(folder)).Where(static name => name is not ("obj" or "bin")),
        ];
        Assert.NotEmpty(folders);
        Assert.DoesNotContain(folders, folder => !row.Contains($"`{folder}`"));
    }
}
