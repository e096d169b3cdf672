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
    private readonly ExtentAllocator _stock;
    private readonly long _areaStart;

    public ExtentAllocatorTests()
    {
        _file = BlockFile.Open(BlockFileKind.PositionalParallel, Path.Combine(_directory.Path, "file"));
        var layout = new FileLayout(FileLayout.Newest, OffsetWidth: 8, Alignment: 8, Buckets: 256, Salt: 1, Seed: 2);
        _file.Expand(layout.AreaStart);
        _areaStart = layout.AreaStart;
        _stock = new ExtentAllocator(_file, layout);
    }

    public void Dispose()
    {
        _file.Dispose();
        _directory.Dispose();
    }

    /// <summary>Of each shard, and of the pieces that have no class.</summary>
    [Theory]
    [InlineData(0, ExtentBytes)]
    [InlineData(1, ExtentBytes)]
    [InlineData(0, 100_000)]
    public void Nothing_is_taken_or_given_while_somebody_counts(int stripe, int bytes)
    {
        Extent extent = _stock.Take(stripe, bytes);
        Task<Extent>? taking = null;
        Task? giving = null;
        _stock.Count((_, _) =>
        {
            taking = SideBySide.Start(() => _stock.Take(stripe, bytes));
            giving = SideBySide.Start(() => _stock.Give(stripe, extent));
            Assert.False(Task.WaitAll([taking, giving], TimeSpan.FromMilliseconds(50)));
            Assert.False(taking.IsCompleted || giving.IsCompleted, "a room was taken or given while somebody counted");
            return true;
        });
        Assert.True(Task.WaitAll([taking!, giving!], Eventually.Timeout));
        _stock.Give(stripe, taking!.Result);
        Assert.Equal(_stock.End - _areaStart, _stock.Count((_, free) => free));
    }

    [Fact]
    public void Who_counts_lets_go_of_all_though_it_fails()
    {
        Assert.Throws<TimeoutException>(() => _stock.Count<int>((_, _) => throw new TimeoutException()));
        _stock.Give(0, _stock.Take(0, ExtentBytes));
        Assert.Equal(_stock.End - _areaStart, _stock.Count((_, free) => free));
    }
}
