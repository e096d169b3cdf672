using System;
using System.IO;
using System.Linq;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>Where the process may have no more mappings, what needs one is refused, and all else goes on.</summary>
public sealed class MappingLimitTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly FailingOperations _files = new()
    {
        Counts = static operation => operation == FileOperation.Map,
        Error = static path => FileErrors.Of(path, "mapped into memory", FileErrors.NoMemory), // as the system says it
    };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_table_is_refused_with_what_helps_and_leaves_nothing(int position)
    {
        using (PileCache cache = Open())
        {
            cache.GetOrCreateTable<string, string>("first").Put("k", "v");
            string[] before = FileNames();
            for (int i = 0; i < 2; i++)
            {
                _files.Arm(position, isHalfDone: false);
                Refuses(() => cache.GetOrCreateTable<string, string>("second"));
                Assert.Equal(before, FileNames());
                Assert.Equal(["first"], cache.TableNames);
                cache.GetOrCreateTable<string, string>("first").Put($"k{i}", "v");
            }
        }
        using (PileCache cache = Open())
        {
            Assert.Equal(3, cache.GetOrCreateTable<string, string>("first").Count);
            cache.GetOrCreateTable<string, string>("second").Put("k", "v");
        }
    }

    [Fact]
    public void Each_mapping_of_an_opening_may_be_refused_and_nothing_is_lost()
    {
        using (PileCache cache = Open())
        {
            for (int i = 0; i < 3; i++)
                cache.GetOrCreateTable<string, string>($"t{i}").Put("k", "v");
        }
        int refusals = 0;
        for (int position = 1; ; position++)
        {
            _files.Arm(position, isHalfDone: false);
            try
            {
                using PileCache cache = Open();
                if (_files.Failed == null)
                    break;
            }
            catch (PileStorageException e)
            {
                Assert.Contains("vm.max_map_count", e.Message, StringComparison.Ordinal);
                refusals++;
            }
        }
        _files.Disarm();
        Assert.InRange(refusals, 2 * 3, 100);
        using PileCache again = Open();
        Assert.True(again.Readiness.WasRestored);
        for (int i = 0; i < 3; i++)
            Assert.Equal("v", again.GetOrCreateTable<string, string>($"t{i}").Get("k"));
    }

    [Fact]
    public void A_segment_is_refused_with_what_helps()
    {
        using PileCache cache = Open();
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.Put("first", new byte[1 << 20]);
        _files.Always = static operation =>
            operation == FileOperation.Map ? FileErrors.Of("segment", "mapped into memory", FileErrors.NoMemory) : null;
        PileFullException full = Assert.Throws<PileFullException>(() =>
        {
            for (int i = 0; i < 20; i++)
                table.Put($"k{i}", new byte[1 << 20]);
        });
        Assert.Contains("vm.max_map_count", full.Message, StringComparison.Ordinal);
        _files.Always = null;
        table.Put("another", new byte[1 << 20]);
        Assert.True(table.ContainsKey("first") && table.ContainsKey("another"));
    }

    private static void Refuses(Action act)
    {
        PileStorageException refused = Assert.Throws<PileStorageException>(act);
        Assert.Contains("vm.max_map_count", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Free space", refused.Message, StringComparison.Ordinal);
    }

    private string[] FileNames() => [.. Directory.GetFiles(_directory.Path).Select(Path.GetFileName).Order(StringComparer.Ordinal)!];

    private PileCache Open()
    {
        var pile = Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, FileHook = _files });
        try
        {
            return new PileCache(pile, new PileCacheOptions
            {
                OwnsPile = true,
                SweepPeriod = TimeSpan.Zero,
                WaitsUntilReady = true,
                DefaultTableOptions = TestCache.AllDurable,
            });
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }
}
