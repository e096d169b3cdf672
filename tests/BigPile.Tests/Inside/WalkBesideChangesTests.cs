using System.Linq;
using System.Threading.Tasks;
using BigPile.Concurrency;

namespace BigPile.Tests.Inside;

/// <summary>Walks beside what changes the pile.</summary>
public sealed class WalkBesideChangesTests
{
    private const int SegmentBytes = 4 << 20;

    private static readonly int Trims = TestLeg.Steps(100, 2_000);

    /// <summary>
    /// The second segment has a few pages of many small slots, so that a walk is nearly always there when it is given back.
    /// </summary>
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public async Task A_walk_beside_trims_ends(StoreKind kind)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, Store = kind });
        PilePointer filler = pile.Put(new byte[SegmentBytes - 3 * 65_536]);
        var pointers = new PilePointer[20_000];
        await SideBySide.RoundsAsync(
            new(1, _ => Assert.Contains(filler, pile.Select(static entry => entry.Pointer))),
            new(Trims, _ => PutDeleteAndTrim(pile, pointers)));
    }

    [Fact]
    public async Task A_compaction_beside_trims_ends()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        pile.Put(new byte[SegmentBytes - 3 * 65_536]);
        var pointers = new PilePointer[20_000];
        await SideBySide.RoundsAsync(
            new(1, _ => pile.Compact()),
            new(Trims, _ => PutDeleteAndTrim(pile, pointers)));
        Assert.Equal(1, pile.Statistics.ObjectCount);
    }

    /// <summary>Whoever waits for the walk to leave the pile waits for some pages, and not for a whole segment without an object.</summary>
    [Fact]
    public void A_walk_over_empty_pages_leaves_the_pile_again_and_again()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 64 << 20 });
        PilePointer first = pile.Put(new byte[100]);
        PilePointer[] between = [.. Enumerable.Range(0, 900).Select(_ => pile.Put(new byte[60_000]))];
        PilePointer last = pile.Put(new byte[60_000]);
        foreach (PilePointer pointer in between)
            pile.Delete(pointer);
        long before = PileRegions.Current.PassCount;
        Assert.Equal([first, last], pile.Select(static entry => entry.Pointer));
        Assert.InRange(PileRegions.Current.PassCount - before, 900 / 64, 900);
    }

    private static void PutDeleteAndTrim(Pile pile, PilePointer[] pointers)
    {
        for (int i = 0; i < pointers.Length; i++)
            pointers[i] = pile.Put("");
        foreach (PilePointer pointer in pointers)
            pile.Delete(pointer);
        pile.Trim();
    }
}
