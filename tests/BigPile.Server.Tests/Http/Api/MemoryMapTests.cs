using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Api;

namespace BigPile.Server.Tests.Http.Api;

public sealed class MemoryMapTests
{
    [Theory]
    [InlineData(1, 1024, 1)]
    [InlineData(3, 341, 3)]
    [InlineData(256, 4, 256)]
    [InlineData(257, 3, 129)]
    [InlineData(5_000, 1, 250)]
    [InlineData(131_072, 1, 256)]
    public void Rows_and_cells_are_bounded_and_lose_nothing(int segments, int cellsEach, int rows)
    {
        PileSegmentUse[] all =
        [
            .. Enumerable.Range(0, segments).Select(number => new PileSegmentUse(
                number, [.. Enumerable.Range(0, cellsEach).Select(static cell => new PilePageUse(1, cell % 7, 2, 0, 3))])),
        ];
        IReadOnlyList<SegmentReport> report = MemoryMapReport.Rows(all);
        Assert.Equal(rows, report.Count);
        Assert.InRange(report.Sum(static row => row.Cells.Count), rows, MemoryMapReport.MaxCells);
        Assert.Equal(segments, report.Sum(static row => row.Count));
        Assert.Equal(all.Sum(static segment => segment.Parts.Sum(static cell => cell.TotalBytes)), report.Sum(static row => row.Reserved));
        Assert.All(report, static row => Assert.Equal(row.Reserved, row.Head + row.Taken + row.Free + row.Unexamined + row.Unused));
    }

    [Fact]
    public void A_cell_says_how_full_it_is()
    {
        PilePageUse[] cells =
        [
            new(0, 0, 0, 0, 10), new(0, 0, 10, 0, 0), new(0, 5, 5, 0, 0), new(10, 0, 0, 0, 0), new(0, 4, 0, 6, 0), new(0, 6, 0, 4, 0),
        ];
        Assert.Equal([-1, 0, 50, 100, -2, 60], Assert.Single(MemoryMapReport.Rows([new PileSegmentUse(0, cells)])).Cells);
    }
}
