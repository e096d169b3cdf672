using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Perf.Catalogs;
using BigPile.Perf.Graphs;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public class CatalogTests
{
    // Counted by another program in another language, with sets of numbers and no pile.
    private static readonly Dictionary<string, (int Dependencies, int Dependents)> Expected = new()
    {
        ["bash"] = (2, 27),
        ["0ad"] = (209, 0),
        ["libc6"] = (2, 47_381),
        ["python3"] = (34, 8_693),
        ["git"] = (43, 180),
        ["gcc"] = (31, 851),
        ["kde-full"] = (1_173, 0),
    };

    [CatalogFact]
    public void A_real_catalog_is_answered_as_by_hand()
    {
        using PileGraph pile = Build();
        CatalogFigures figures = new(
            Packages: 63_440, Names: 63_436, Dependencies: 278_269, Edges: 247_864, Missing: 30_405, Alternatives: 7_162,
            LaterAlternatives: 56);
        Assert.Equal(figures, pile.Figures);
        AssertAnswers(pile);
        AssertMemory(pile.Pile.Statistics, figures.Packages);
    }

    private static PileGraph Build()
    {
        PackageCatalog catalog = PackageCatalog.Read(CatalogFactAttribute.Find()!, new NoProgress(), CancellationToken.None);
        return PileGraphBuilder.Build(catalog, new PileOptions(), new NoProgress(), CancellationToken.None);
    }

    private static void AssertAnswers(PileGraph pile)
    {
        var dependencies = new ClosureCounter<PileDependenciesSide, PilePointer>(new PileDependenciesSide(pile), pile.Count);
        var dependents = new ClosureCounter<PileDependentsSide, PilePointer>(new PileDependentsSide(pile), pile.Count);
        Package[] packages = [.. Enumerable.Range(0, pile.Count).Select(pile.Get).Where(package => Expected.ContainsKey(package.Name))];
        Assert.Equal(Expected.Count, packages.Length);
        foreach (Package package in packages)
        {
            var actual = (dependencies.Count(package.Number), dependents.Count(package.Number));
            Assert.Equal((package.Name, Expected[package.Name]), (package.Name, actual));
        }
    }

    private static void AssertMemory(PileStatistics statistics, int packages)
    {
        Assert.InRange(statistics.LinksSoFar, 0, packages / 1000);
        // Free slots in pages in use are left out: how many there are depends on the cores that the thread was moved between.
        Assert.InRange((double)(statistics.CommittedBytes - statistics.FreeBytes) / packages, 300, 400);
    }
}
