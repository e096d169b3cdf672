using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;

namespace BigPile.AspNetCore.Tests;

/// <summary>What a package needs beside its library.</summary>
public sealed class PackageTests
{
    private static readonly string Sources = Path.Combine(SourceTree.Root, "src");

    private static IEnumerable<string> Packages =>
        Directory.EnumerateFiles(Sources, "*.csproj", SearchOption.AllDirectories)
            .Where(static project => XDocument.Load(project).Descendants(
                "IsPackable").Any(static packs => packs.Value == "true" && packs.Parent!.Attribute("Condition") == null));

    [Fact]
    public void Each_says_what_it_is_and_shows_its_use()
    {
        Assert.True(Packages.Count() >= 4);
        foreach (string project in Packages)
        {
            string readme = Path.Combine(Path.GetDirectoryName(project)!, "README.md");
            Assert.True(File.Exists(readme), $"{project} has no README.md");
            string text = File.ReadAllText(readme);
            Assert.StartsWith("# " + Path.GetFileNameWithoutExtension(project) + "\n", text, StringComparison.Ordinal);
            Assert.Contains("```csharp", text, StringComparison.Ordinal);
            Assert.NotEmpty(XDocument.Load(project).Descendants("Description").Single().Value);
        }
    }

    [Fact]
    public void Whoever_shows_internals_to_another_package_is_pinned_by_it()
    {
        XElement target = XDocument.Load(Path.Combine(Sources, "Directory.Build.targets")).Descendants("Target").Single();
        Assert.Equal("_GetProjectReferenceVersions", target.Attribute("AfterTargets")?.Value);
        Assert.Contains("[%(ProjectVersion)]", target.Descendants("ProjectVersion").Select(static version => version.Value));
    }

    [Fact]
    public void What_options_are_made_of_is_in_the_namespace_of_the_options()
    {
        foreach (Type type in new[] { typeof(PileOptions), typeof(Caching.PileCacheOptions), typeof(Caching.TableOptions) })
        {
            foreach (Type option in type.GetProperties().Select(
                static option => Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType))
            {
                bool isNear = !option.FullName!.StartsWith("BigPile.", StringComparison.Ordinal)
                    || (type.Namespace + ".").StartsWith(option.Namespace + ".", StringComparison.Ordinal);
                Assert.True(isNear, $"{type}.{option} is in another namespace.");
            }
        }
    }
}
