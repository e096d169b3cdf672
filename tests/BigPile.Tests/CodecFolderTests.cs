using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Tests;

/// <summary>The order of the codec's folders, which its README states lowest first.</summary>
public sealed class CodecFolderTests
{
    private static readonly string Source = Path.Combine(SourceTree.Root, "src", "BigPile.Codec");

    private static readonly string[] Order = [.. File.ReadLines(Path.Combine(Source, "README.md"))
        .Select(static line => Regex.Match(line, @"^\| `(\w+)` \|")).Where(static row => row.Success)
        .Select(static row => row.Groups[1].Value)];

    [Fact]
    public void Every_folder_has_a_place_in_the_order() =>
        Assert.Equal(
            Directory.GetDirectories(Source).Select(Path.GetFileName).Order(StringComparer.Ordinal),
            Order.Order(StringComparer.Ordinal));

    [Fact]
    public void The_namespace_is_the_folder_and_of_the_public_types_the_library()
    {
        foreach (string file in Directory.EnumerateFiles(Source, "*.cs", SearchOption.AllDirectories))
        {
            string folder = FolderOf(file);
            string expected = folder.Length == 0 ? "namespace BigPile;" : $"namespace BigPile.Codec.{folder};";
            Assert.True(File.ReadLines(file).Contains(expected), $"{file} is not in {expected}");
        }
    }

    [Fact]
    public void A_folder_uses_only_what_lies_below_it()
    {
        foreach (string file in Directory.EnumerateFiles(Source, "*.cs", SearchOption.AllDirectories))
        {
            string text = File.ReadAllText(file);
            int own = Array.IndexOf(Order, FolderOf(file)); // -1 for the public types, which lie below all folders
            foreach (string above in Order[(own + 1)..])
            {
                bool isUsed = Regex.IsMatch(text, $@"(?<![\w.])((BigPile\.)?Codec\.)?{above}[.;][A-Z\r\n]");
                Assert.False(isUsed, $"{file} uses {above}, which lies above it.");
            }
        }
    }

    private static string FolderOf(string file) =>
        Path.GetRelativePath(Source, Path.GetDirectoryName(file)!) is not "." and var folder ? folder : "";
}
