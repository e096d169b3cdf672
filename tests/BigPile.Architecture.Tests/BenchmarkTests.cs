using System.Linq;
using Mono.Cecil;

namespace BigPile.Architecture.Tests;

/// <summary>The benchmark suite is complete: each category compares with something that users know.</summary>
public sealed class BenchmarkTests
{
    private const string Project = "BigPile.Benchmarks";

    private static readonly string[] Questions =
    [
        "AllocateBenchmarks", "CodecBenchmarks`2", "CopyBenchmarks", "HttpBenchmarks", "IndexBenchmarks", "PutGetBenchmarks",
        "TableBenchmarks`1",
    ];

    [Fact]
    public void Each_question_has_a_class_and_no_other_class_has_benchmarks()
    {
        using var built = new Built();
        Assert.Equal(Questions, built.Read(Project).MainModule.Types.Where(static type => type.Methods.Any(IsBenchmark))
            .Select(static type => type.Name).Order());
    }

    [Fact]
    public void Each_class_tells_memory_and_is_grouped_by_categories()
    {
        using var built = new Built();
        Assert.All(Questions, name =>
        {
            TypeDefinition type = built.Read(Project).MainModule.GetType($"{Project}.{name}");
            Assert.NotNull(Attribute(type, "MemoryDiagnoserAttribute"));
            Assert.NotNull(Attribute(type, "CategoriesColumnAttribute"));
            Assert.NotNull(Attribute(type, "GroupBenchmarksByAttribute"));
        });
    }

    [Fact]
    public void Each_category_has_one_baseline_and_something_beside_it()
    {
        using var built = new Built();
        foreach (string name in Questions)
        {
            MethodDefinition[] methods = [.. built.Read(Project).MainModule.GetType($"{Project}.{name}").Methods.Where(IsBenchmark)];
            foreach (IGrouping<string, MethodDefinition> category in methods.GroupBy(CategoryOf))
            {
                Assert.True(category.Count(IsBaseline) == 1, $"{name}, {category.Key}: {category.Count(IsBaseline)} baselines");
                Assert.True(category.Any(static method => !IsBaseline(method)), $"{name}, {category.Key}: nothing beside the baseline");
            }
        }
    }

    private static bool IsBenchmark(MethodDefinition method) => Attribute(method, "BenchmarkAttribute") != null;

    private static bool IsBaseline(MethodDefinition method) => Attribute(method, "BenchmarkAttribute")!.Properties
        .Any(static property => property.Name == "Baseline" && property.Argument.Value is true);

    private static string CategoryOf(MethodDefinition method)
    {
        CustomAttribute? attribute = Attribute(method, "BenchmarkCategoryAttribute");
        Assert.True(attribute != null, $"{method.FullName} is in no category");
        var names = (CustomAttributeArgument[])attribute.ConstructorArguments[0].Value;
        return (string)Assert.Single(names).Value;
    }

    private static CustomAttribute? Attribute(ICustomAttributeProvider of, string name) =>
        of.CustomAttributes.SingleOrDefault(attribute => attribute.AttributeType.Name == name);
}
