using System;
using System.IO;
using System.Reflection;
using PublicApiGenerator;

namespace BigPile.Architecture.Tests;

/// <summary>The public types and members of each package are the approved ones in <c>api/</c>.</summary>
public sealed class PublicApiTests
{
    private const string ApprovingVariable = "BIGPILE_APPROVE";

    private const string HowToApprove = "If it is meant, approve it: "
        + ApprovingVariable + "=1 dotnet test tests/BigPile.Architecture.Tests -c Release --filter PublicApiTests";

    public static TheoryData<string> Packages => [.. LibraryGraph.Stack];

    [Theory]
    [MemberData(nameof(Packages))]
    public void What_is_public_was_approved(string package)
    {
        string path = Path.Combine(SourceTree.Root, "tests", "BigPile.Architecture.Tests", "api", package + ".txt");
        string[] found = PublicOf(package);
        if (Environment.GetEnvironmentVariable(ApprovingVariable) == "1")
            File.WriteAllText(path, string.Join('\n', found) + "\n");
        string[] approved = File.Exists(path) ? File.ReadAllLines(path) : [];
        string difference = LineDifference.Of(approved, found);
        Assert.True(difference.Length == 0, $"What {package} has public is not what was approved:\n{difference}{HowToApprove}");
    }

    [Fact]
    public void A_difference_is_shown_with_what_went_and_what_came() => Assert.Equal(
        "  a\n- b\n+ B\n  c\n  …\n  e\n+ f\n",
        LineDifference.Of(["a", "b", "c", "d", "d", "e"], ["a", "B", "c", "d", "d", "e", "f"]));

    private static string[] PublicOf(string package) =>
        Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, package + ".dll"))
            .GeneratePublicApi(new ApiGeneratorOptions { IncludeAssemblyAttributes = false, DenyNamespacePrefixes = [] })
            .ReplaceLineEndings("\n").TrimEnd('\n').Split('\n');
}
