using System.Linq;
using Xunit.Abstractions;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>Types in the library's form have its bytes, read both ways, or are refused.</summary>
public sealed class BesideTests(ITestOutputHelper output)
{
    [Fact]
    public void Every_member_has_the_bytes_of_the_library_or_is_refused_by_name()
    {
        (string Name, string Result)[] results = [.. MemberKinds.All().Select(kind => (kind.Name, kind.Compare()))];
        foreach (IGrouping<string, (string Name, string Result)> group in results.GroupBy(result => result.Result.Split(':')[0]))
            output.WriteLine($"{group.Key}: {group.Count()}");
        foreach ((string name, string result) in results)
            output.WriteLine($"{result,-8} {name}");
        Assert.Equal([], results.Where(result => result.Result is not ("same" or "refused")));
        Assert.True(results.Count(result => result.Result == "same") >= 60);
    }
}
