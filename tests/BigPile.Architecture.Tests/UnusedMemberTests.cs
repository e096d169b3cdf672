using System.Linq;
using Mono.Cecil;

namespace BigPile.Architecture.Tests;

/// <summary>Each internal or private member has a use in the product, a benchmark or the torture.</summary>
public sealed class UnusedMemberTests
{
    // Programs that may use internals and are no tests.
    private static readonly string[] Programs = ["BigPile.Benchmarks", "BigPile.Torture", "BigPile.Perf"];

    [Fact]
    public void Each_internal_member_has_a_use_that_is_no_test()
    {
        using var built = new Built();
        AssemblyDefinition[] libraries = [.. LibraryGraph.Stack.Select(built.Read)];
        var unused = new UnusedMembers();
        foreach (AssemblyDefinition assembly in libraries.Concat(Programs.Select(built.Read)))
            unused.CollectUsesOf(assembly);
        KnownExceptions.Compare("unused member", libraries.SelectMany(
            library => unused.In(library, Built.PathOf(library.Name.Name, ".xml"))));
    }
}
