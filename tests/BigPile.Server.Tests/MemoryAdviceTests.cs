using System.Linq;
using BigPile.Server.Hosting;

namespace BigPile.Server.Tests;

public sealed class MemoryAdviceTests
{
    private const long Gigabyte = 1L << 30;

    [Theory]
    [InlineData(StoreKind.Mapped, long.MaxValue, "is not set: the pile may grow until it has all of the disk")]
    [InlineData(StoreKind.Native, long.MaxValue, "is not set: the pile may grow until it has all of the memory that this process may have")]
    [InlineData(StoreKind.Mapped, 8 * Gigabyte, null)]
    [InlineData(StoreKind.Mapped, 11 * Gigabyte, "is 11,811,160,064, more than the disk, 10,737,418,240 bytes")]
    [InlineData(StoreKind.Native, 3 * Gigabyte, null)]
    [InlineData(StoreKind.Managed, 5 * Gigabyte, "more than the memory that this process may have, 4,294,967,296 bytes")]
    public void A_limit_that_does_not_keep_the_pile_in_bounds_is_told(StoreKind store, long maxBytes, string? told)
    {
        string[] advice = [.. MemoryAdvice.Of(store, maxBytes, memoryBytes: 4 * Gigabyte, diskBytes: 10 * Gigabyte)];
        if (told == null)
            Assert.Empty(advice);
        else
            Assert.Contains(told, Assert.Single(advice), System.StringComparison.Ordinal);
        Assert.Equal(maxBytes == long.MaxValue ? 1 : 0, MemoryAdvice.Of(store, maxBytes, Gigabyte * 100, diskBytes: 0).Count());
    }
}
