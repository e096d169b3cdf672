using System;
using System.IO;
using System.Threading.Tasks;
using BigPile.Files;
using BigPile.Hash.Format;
using BigPile.Hash.Space;

namespace BigPile.Hash.Tests;

public sealed class ExtentAllocatorTests : IDisposable
{
    private const int ExtentBytes = 64;

    private readonly TemporaryDirectory _directory = new();
    private readonly IBlockFile _file;
    private readonly ExtentAllocator _extents;
    private readonly long _areaStart;

    public ExtentAllocatorTests()
    {
        _file = BlockFile.Open(BlockFileKind.PositionalParallel, Path.Combine(_directory.Path, "file"));
        var layout = new FileLayout(FileLayout.Newest, OffsetWidth: 8, Alignment: 8, Buckets: 256, Salt: 1, Seed: 2);
        _file.Expand(layout.AreaStart);
        _areaStart = layout.AreaStart;
        _extents = new ExtentAllocator(_file, layout);
    }

    public void Dispose()
    {
        _file.Dispose();
        _directory.Dispose();
    }

    /// <summary>Of each shard, and of the extents that have no class.</summary>
    [Theory]
    [InlineData(0, ExtentBytes)]
    [InlineData(1, ExtentBytes)]
    [InlineData(0, 100_000)]
    public void Nothing_is_taken_or_given_while_somebody_counts(int stripe, int bytes)
    {
        Extent extent = _extents.Allocate(stripe, bytes);
        Task<Extent>? allocating = null;
        Task? freeing = null;
        _extents.Measure((_, _) =>
        {
            allocating = SideBySide.Start(() => _extents.Allocate(stripe, bytes));
            freeing = SideBySide.Start(() => _extents.Free(stripe, extent));
            Assert.False(Task.WaitAll([allocating, freeing], TimeSpan.FromMilliseconds(50)));
            Assert.False(allocating.IsCompleted || freeing.IsCompleted, "an extent was allocated or freed during a measurement");
            return true;
        });
        Assert.True(Task.WaitAll([allocating!, freeing!], Eventually.Timeout));
        _extents.Free(stripe, allocating!.Result);
        Assert.Equal(_extents.End - _areaStart, _extents.Measure((_, free) => free));
    }

    [Fact]
    public void Who_counts_lets_go_of_all_though_it_fails()
    {
        Assert.Throws<TimeoutException>(() => _extents.Measure<int>((_, _) => throw new TimeoutException()));
        _extents.Free(0, _extents.Allocate(0, ExtentBytes));
        Assert.Equal(_extents.End - _areaStart, _extents.Measure((_, free) => free));
    }
}
