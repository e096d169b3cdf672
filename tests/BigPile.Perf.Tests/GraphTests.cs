using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Perf.Catalogs;
using BigPile.Perf.Graphs;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public sealed class GraphTests
{
    private static readonly NoProgress Silent = new();

    [Fact]
    public void What_a_catalog_has_is_counted()
    {
        CatalogFigures expected = new(
            Packages: 10, Names: 10, Dependencies: 12, Edges: 10, Missing: 2, Alternatives: 3, LaterAlternatives: 1);
        Assert.Equal(expected, ReadSmall().Figures);
    }

    [Fact]
    public void An_edge_has_the_condition_of_the_alternative_that_it_leads_to()
    {
        CatalogEdge[] expected = [new(3, VersionOperator.Later, "0"), new(4, VersionOperator.None, null)];
        Assert.Equal(expected, ReadSmall().EdgesOf(7));
    }

    [Fact]
    public void A_name_of_several_versions_leads_to_the_last_one()
    {
        using var file = CatalogText.Of(CatalogText.Line("a"), CatalogText.Line("user", "a"), CatalogText.Line("a"));
        PackageCatalog catalog = PackageCatalog.Read(file.Path, Silent, CancellationToken.None);
        Assert.Equal((3, 2), (catalog.Figures.Packages, catalog.Figures.Names));
        Assert.Equal(2, Assert.Single(catalog.EdgesOf(1)).Target);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Both_graphs_count_as_a_hand_does(int threads)
    {
        using PileGraph pile = BuildSmall();
        var plain = new PlainGraph(ReadSmall());
        var meter = new ClosureMeter(threads, Silent, CancellationToken.None);
        AssertRuns(SmallGraph.DependencyCounts, threads, meter.Measure<PileDependenciesSide, PilePointer>("", new(pile), pile.Count));
        AssertRuns(SmallGraph.DependentCounts, threads, meter.Measure<PileDependentsSide, PilePointer>("", new(pile), pile.Count));
        AssertRuns(SmallGraph.DependencyCounts, threads, meter.Measure<PlainDependenciesSide, PlainEdge>("", new(plain), plain.Count));
        AssertRuns(SmallGraph.DependentCounts, threads, meter.Measure<PlainDependentsSide, PlainEdge>("", new(plain), plain.Count));
    }

    [Fact]
    public void The_edges_of_walks_are_counted_each_time()
    {
        using PileGraph pile = BuildSmall();
        var counter = new ClosureCounter<PileDependenciesSide, PilePointer>(new PileDependenciesSide(pile), pile.Count);
        Assert.Equal(5, counter.Count(0));
        Assert.Equal(7, counter.EdgesWalked); // two from the top, one each from left, right, bottom, x and y
        Assert.Equal(0, counter.Count(6));
        Assert.Equal(8, counter.EdgesWalked); // the loop
    }

    [Fact]
    public void A_package_in_the_pile_is_as_its_line_says()
    {
        using PileGraph pile = BuildSmall();
        Package package = pile.Get(1);
        Assert.Equal(
            (1, "left", "1.0-1", "all", "misc"), (package.Number, package.Name, package.Version, package.Architecture, package.Section));
        Assert.Equal(("optional", null, 10, 1000), (package.Priority, package.Homepage, package.InstalledSizeKiB, package.SizeBytes));
        Assert.Equal(("The package left", 64), (package.Description, package.Sha256.Length));
        Assert.Empty(package.Tags);
        Assert.Equal(new Dependency(pile.PointerTo(3), VersionOperator.Earlier, "2:3.0~rc1-1"), Assert.Single(package.Dependencies));
        Assert.Equal([pile.PointerTo(0)], pile.Pile.Get<Dependents>(package.Dependents).Packages);
        Assert.False(pile.Get(9).Dependents.IsValid);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(10, 4)]
    [InlineData(1000, 3)]
    [InlineData(64, 2)]
    public void An_interleaved_order_has_every_package_once(int packages, int threads) =>
        Assert.Equal(Enumerable.Range(0, packages), InterleavedOrder.Make(packages, threads).Order());

    [Fact]
    public void An_interleaved_order_gives_blocks_in_turn()
    {
        int[] order = InterleavedOrder.Make(256, 2);
        Assert.Equal([0, 63, 128, 191, 64, 127, 192, 255], new[] { 0, 63, 64, 127, 128, 191, 192, 255 }.Select(i => order[i]));
    }

    private static void AssertRuns(int[] expected, int threads, List<ClosureRun> runs)
    {
        Assert.Equal(new[] { 1, threads }.Distinct(), runs.Select(run => run.Threads));
        Assert.All(runs, run => Assert.Equal(expected, run.Counts));
    }

    private static PileGraph BuildSmall() => PileGraphBuilder.Build(ReadSmall(), new PileOptions(), Silent, CancellationToken.None);

    private static PackageCatalog ReadSmall()
    {
        using var file = CatalogText.Of(SmallGraph.Lines);
        return PackageCatalog.Read(file.Path, Silent, CancellationToken.None);
    }
}
