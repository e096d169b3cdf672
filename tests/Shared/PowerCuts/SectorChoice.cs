using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Testing;

/// <summary>Decides which sectors reached the disk before a cut.</summary>
internal static class SectorChoice
{
    internal static Predicate<DirtySector> Of(CutKind kind, List<DirtySector> dirty, Random random)
    {
        int share = random.Next(4) == 0 ? random.Next(4) : random.Next(101);
        DirtySector one = dirty.Count == 0 ? default : dirty[random.Next(dirty.Count)];
        return kind switch
        {
            CutKind.Nothing => static _ => false,
            CutKind.Everything => static _ => true,
            CutKind.Pages => Pages(dirty, share, random),
            CutKind.Sectors => _ => random.Next(100) < share,
            CutKind.Headers => static sector => sector.File.IsMapped && sector.File.Sectors.HasHeader(sector.Offset, onlyFreed: false),
            CutKind.FreedHeaders => static sector => sector.File.IsMapped && sector.File.Sectors.HasHeader(sector.Offset, onlyFreed: true),
            CutKind.Payloads => static sector => sector.File.IsMapped && !sector.File.Sectors.HasHeader(sector.Offset, onlyFreed: false),
            CutKind.PageWords => static sector => sector.File.IsMapped && sector.File.Sectors.HasPageWords(sector.Offset),
            CutKind.AllButPageWords => static sector => !sector.File.IsMapped || !sector.File.Sectors.HasPageWords(sector.Offset),
            CutKind.OneFile => sector => sector.File == one.File,
            CutKind.AllButOneFile => sector => sector.File != one.File,
            CutKind.OneSector => sector => sector == one,
            CutKind.AllButOneSector => sector => sector != one,
            _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "no kind of cut"),
        };
    }

    private static Predicate<DirtySector> Pages(List<DirtySector> dirty, int share, Random random)
    {
        var pages = new Dictionary<DirtySector, int>();
        foreach (DirtySector page in dirty.Select(PageOf).Distinct())
            pages[page] = random.Next(5) == 0 ? 50 : random.Next(100) < share ? 100 : 0;
        return sector => random.Next(100) < pages[PageOf(sector)];
    }

    private static DirtySector PageOf(DirtySector sector) => sector with { Offset = sector.Offset / SimulatedFile.PageBytes };
}
