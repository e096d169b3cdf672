using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Xunit.Abstractions;

namespace BigPile.Architecture.Tests;

public sealed class StackTests(ITestOutputHelper output)
{
    public static TheoryData<string> Libraries => [.. LibraryGraph.Stack];

    [Fact]
    public void A_project_uses_only_those_below_it()
    {
        foreach (string library in LibraryGraph.Stack)
        {
            string[] used = [.. ProjectsOf(library)];
            output.WriteLine($"{library} -> {string.Join(", ", used)}");
            Assert.All(used, name => Assert.InRange(LibraryGraph.Stack.IndexOf(name), 0, LibraryGraph.Stack.IndexOf(library) - 1));
        }
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void No_folders_of_a_project_are_in_a_circle(string library)
    {
        Dictionary<string, SortedSet<string>> uses = LibraryGraph.UsesIn(library);
        foreach ((string node, SortedSet<string> used) in uses.Where(
            static pair => pair.Key.EndsWith('/')).OrderBy(static pair => pair.Key))
            output.WriteLine($"{node} -> {string.Join(", ", used.Where(static name => name.EndsWith('/')))}");
        // Types at the root may use each other, except through a folder below.
        KnownExceptions.Compare("circle in " + library, from cycle in Cycles.Of(uses)
            where cycle.Any(static node => node.EndsWith('/'))
            select string.Join(", ", cycle));
    }

    [Fact]
    public void A_circle_is_found()
    {
        var uses = new Dictionary<string, SortedSet<string>>
        {
            ["a"] = ["b"], ["b"] = ["c", "d"], ["c"] = ["a"], ["d"] = ["e"], ["e"] = [],
        };
        Assert.Equal(["a", "b", "c"], Assert.Single(Cycles.Of(uses)));
    }

    internal static IEnumerable<string> ProjectsOf(string library) =>
        from reference in XDocument.Load(Path.Combine(SourceTree.Root, "src", library, library + ".csproj")).Descendants("ProjectReference")
        select Path.GetFileNameWithoutExtension(((string)reference.Attribute("Include")!).Replace('\\', '/'));

    /// <summary>A project and its transitive dependencies.</summary>
    internal static IEnumerable<string> WithUsed(string library) => ProjectsOf(library).SelectMany(WithUsed).Append(library).Distinct();
}
