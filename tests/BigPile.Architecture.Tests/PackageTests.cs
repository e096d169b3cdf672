using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Xml.Linq;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace BigPile.Architecture.Tests;

/// <summary>The packages' metadata, and their dependencies on each other.</summary>
public sealed class PackageTests(PackedFiles files) : IClassFixture<PackedFiles>
{
    private const string Tool = "BigPile.Server";

    public static TheoryData<string> Libraries => [.. LibraryGraph.Stack.Where(static name => name != Tool)];

    [Fact]
    public void Each_library_and_the_server_are_a_package() => Assert.Equal(LibraryGraph.Stack.Order(), files.Names.Order());

    [Theory]
    [MemberData(nameof(Libraries))]
    [InlineData(Tool)]
    public void A_package_says_what_it_is(string name)
    {
        using ZipArchive package = files.Open(name);
        XElement about = AboutOf(package);
        Assert.All(["description", "authors", "license"], part => Assert.NotEqual("", Text(about, part)));
        Assert.Contains("bigpile", Text(about, "tags").Split(' '));
        Assert.Contains("## [Unreleased]", Text(about, "releaseNotes"), StringComparison.Ordinal);
        Assert.Equal(PackedFiles.Repository, Text(about, "projectUrl"));
        Assert.NotNull(package.GetEntry(Text(about, "icon")));
        XElement repository = Assert.Single(about.Elements(), static part => part.Name.LocalName == "repository");
        Assert.Equal(("git", PackedFiles.Repository), ((string?)repository.Attribute("type"), (string?)repository.Attribute("url")));
        using var readme = new StreamReader(package.GetEntry(Text(about, "readme"))!.Open());
        string text = readme.ReadToEnd();
        Assert.StartsWith($"# {name}\n", text, StringComparison.Ordinal);
        Assert.NotNull(package.GetEntry("REFERENCE.md"));
        Assert.Contains(name == Tool ? "```console" : "```csharp", text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_package_goes_with_exactly_the_sisters_it_was_built_with(string name)
    {
        using ZipArchive package = files.Open(name);
        Assert.NotNull(package.GetEntry($"lib/net10.0/{name}.xml"));
        (string Id, string Version)[] sisters =
        [
            .. from dependency in AboutOf(package).Descendants()
               where dependency.Name.LocalName == "dependency"
               let id = (string)dependency.Attribute("id")!
               where id.StartsWith("BigPile", StringComparison.Ordinal)
               select (id, (string)dependency.Attribute("version")!),
        ];
        IEnumerable<(string, string)> expected = StackTests.ProjectsOf(name).Select(static id => (id, $"[{PackedFiles.Version}]"));
        Assert.Equal(expected.Order(), sisters.Order());
    }

    /// <summary>Code completion shows only what users can use, and all of it is documented.</summary>
    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_package_documents_what_is_public_and_nothing_else(string name)
    {
        using ZipArchive package = files.Open(name);
        using Stream stream = package.GetEntry($"lib/net10.0/{name}.xml")!.Open();
        string[] documented = [.. XDocument.Load(stream).Descendants("member").Select(static member => (string)member.Attribute("name")!)];
        using var built = new Built();
        string[] visible =
        [
            .. from type in built.Read(name).MainModule.GetAllTypes()
               where IsVisible(type)
               from member in type.Methods.Where(static method => method.IsPublic || method.IsFamily).Cast<IMemberDefinition>()
                   .Concat(type.Fields.Where(static field => field.IsPublic || field.IsFamily))
                   .Concat(type.Properties.Where(static property => property.GetMethod is { IsPublic: true } or { IsFamily: true }))
                   .Concat(type.Events.Where(static one => one.AddMethod.IsPublic)).Append(type)
               select DocCommentId.GetDocCommentId(member),
        ];
        Assert.Empty(documented.Except(visible));
        string[] types = [.. visible.Where(static id => id.StartsWith("T:", StringComparison.Ordinal))];
        Assert.NotEmpty(types);
        Assert.Empty(types.Except(documented));
    }

    [Fact]
    public void The_server_is_a_tool_with_all_that_it_needs()
    {
        using ZipArchive package = files.Open(Tool);
        Assert.Contains(AboutOf(package).Descendants(), static part =>
            part.Name.LocalName == "packageType" && (string?)part.Attribute("name") == "DotnetTool");
        ZipArchiveEntry settings = Assert.Single(package.Entries, static entry => entry.Name == "DotnetToolSettings.xml");
        using Stream stream = settings.Open();
        XElement command = Assert.Single(XDocument.Load(stream).Descendants("Command"));
        Assert.Equal(("bigpile", Tool + ".dll"), ((string?)command.Attribute("Name"), (string?)command.Attribute("EntryPoint")));
        string folder = settings.FullName[..^settings.Name.Length];
        Assert.All(StackTests.WithUsed(Tool), name => Assert.NotNull(package.GetEntry($"{folder}{name}.dll")));
        Assert.All(["appsettings.json", "sample/packages.jsonl"], name => Assert.NotNull(package.GetEntry(folder + name)));
    }

    [Fact]
    public void The_tool_is_installed_from_its_package_and_runs()
    {
        string said = PackedFiles.Run(Path.Combine(files.Install(Tool), "bigpile"), "key", "--name", "shop", "--scopes", "read");
        Assert.Contains("sha256:", said, StringComparison.Ordinal);
    }

    /// <summary>As build/validate-packages.sh runs it: the earlier package has one more public member.</summary>
    [Fact]
    public void A_public_member_that_is_gone_fails_the_validation()
    {
        const string library = "BigPile.Memory";
        string before = files.MakeBaseline(library);
        Assert.Contains("Successfully created package", files.PackAgainst(before, library), StringComparison.Ordinal);
        files.AddToBaseline(before, library, "BigPile.Memory.MemoryRegion", "Former");
        string said = Assert.Throws<InvalidOperationException>(() => files.PackAgainst(before, library)).Message;
        Assert.Contains("CP0002: Member 'void BigPile.Memory.MemoryRegion.Former()' exists on", said, StringComparison.Ordinal);
    }

    [Fact]
    public void The_version_is_the_newest_one_of_the_changelog()
    {
        string props = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "Directory.Build.props"));
        string newest = File.ReadLines(Path.Combine(SourceTree.Root, "src", "CHANGELOG.md"))
            .First(static line => line.StartsWith("## [", StringComparison.Ordinal) && line != "## [Unreleased]");
        Assert.Contains($"<Version>{newest.Split('[', ']')[1]}</Version>", props, StringComparison.Ordinal);
    }

    private static bool IsVisible(TypeDefinition type) =>
        type.IsNested ? (type.IsNestedPublic || type.IsNestedFamily) && IsVisible(type.DeclaringType) : type.IsPublic;

    private static XElement AboutOf(ZipArchive package)
    {
        using Stream stream = package.Entries.Single(static entry => entry.Name.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return XDocument.Load(stream).Root!.Elements().First();
    }

    private static string Text(XElement about, string part) =>
        about.Elements().SingleOrDefault(element => element.Name.LocalName == part)?.Value ?? "";
}
