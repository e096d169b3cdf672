using System;
using System.IO;
using System.Linq;
using BigPile.Server.Hosting;

namespace BigPile.Server.Tests;

/// <summary>A limit that does not keep the pile within its disk is told at the start.</summary>
public sealed class DiskAdviceTests
{
    private const long Gigabyte = 1L << 30;

    [Theory]
    [InlineData(null, "is not set: the pile may grow until it has all of the disk")]
    [InlineData(long.MaxValue, "is not set: the pile may grow until it has all of the disk")]
    [InlineData(8 * Gigabyte, null)]
    [InlineData(11 * Gigabyte, "is 11,811,160,064, more than the disk, 10,737,418,240 bytes")]
    public void A_limit_that_does_not_keep_the_pile_on_its_disk_is_told(long? maxBytes, string? told)
    {
        string[] advice = [.. DiskAdvice.Of(maxBytes, diskBytes: 10 * Gigabyte)];
        if (told == null)
            Assert.Empty(advice);
        else
            Assert.Contains(told, Assert.Single(advice), StringComparison.Ordinal);
        Assert.Equal(maxBytes is null or long.MaxValue ? 1 : 0, DiskAdvice.Of(maxBytes, diskBytes: 0).Count());
    }

    [Fact]
    public void Of_a_pile_in_memory_the_pile_itself_tells()
    {
        var mapped = new PileSettings { Store = StoreKind.Mapped, Directory = Path.GetTempPath() };
        Assert.Single(DiskAdvice.Of(mapped));
        Assert.Empty(DiskAdvice.Of(mapped with { Shared = true }));
        Assert.Empty(DiskAdvice.Of(mapped with { Store = StoreKind.Native }));
        Assert.Empty(DiskAdvice.Of(mapped with { Store = StoreKind.Managed, MaxBytes = long.MaxValue - 1 }));
    }
}
