using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// Tables that are made and dropped repeatedly leave no memory behind, and the catalog is rewritten without them, whatever fails meanwhile.
/// </summary>
public sealed class CatalogRewriteTests : StoppedCacheTest
{
    private const int LeastVoidBytes = 64 << 10;

    private static readonly int ManyCycles = TestLeg.Steps(400, 2_000);

    private static readonly string Long = new('n', 180); // 400 bytes a cycle
    private static readonly Guid OtherBoot = new("00000000-0000-0000-0000-0000000000a1");

    public static TheoryData<int> Seeds => TestLeg.IsLong ? [1, 2, 3, 4] : [1];

    private string PilePath => Path.Combine(DirectoryPath, "pile");

    private long CatalogBytes => new FileInfo(Path.Combine(PilePath, "catalog")).Length;

    [Fact]
    public void What_stays_of_a_table_in_memory_is_nothing()
    {
        using PileCache cache = TestCache.Make();
        Cycle(cache, 1_000);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        int cycles = TestLeg.Steps(30_000, 120_000); // 340 bytes of each would be 10 MB, or 40
        Cycle(cache, cycles);
        // Other tests run in parallel: their memory is freed in time, while a leak of a table would stay.
        Eventually.True(() => GC.GetTotalMemory(forceFullCollection: true) - before <= cycles * 170L);
    }

    [Fact]
    public void The_file_stays_small_and_says_the_same()
    {
        using (PileCache cache = Open())
        {
            Fill(cache);
            for (int i = 0; i < ManyCycles; i++)
            {
                Cycle(cache, 1);
                Assert.InRange(CatalogBytes, 0, 2 * LeastVoidBytes);
            }
            cache.GetOrCreateTable<Version, string>("late").Put(new Version(1, 2), "late");
            CheckCopies(cache);
        }
        for (int i = 0; i < 3; i++)
        {
            using PileCache cache = Open();
            Assert.True(cache.Pile.Recovery.WasClean);
            Check(cache);
            Assert.Equal("late", cache.GetOrCreateTable<Version, string>("late").Get(new Version(1, 2)));
        }
        Assert.InRange(CatalogBytes, 0, LeastVoidBytes);
    }

    [Fact]
    public void One_that_an_earlier_version_left_is_written_anew_when_it_is_opened()
    {
        using (PileCache cache = Open())
        {
            Fill(cache);
            ((FileCatalog)cache.Pile.Engine.Catalog).LengthRecorder = null;
            Cycle(cache, 700);
        }
        Assert.InRange(CatalogBytes, 2 * LeastVoidBytes, long.MaxValue);
        using (PileCache cache = Open())
        {
            Assert.InRange(CatalogBytes, 0, LeastVoidBytes);
            CheckCopies(cache);
        }
        using PileCache again = Open();
        Check(again);
    }

    [Fact]
    public void A_reader_beside_the_writer_follows()
    {
        using PileCache cache = Open();
        Fill(cache);
        PilePointer first = cache.Pile.Put(new List<int> { 1 });
        using Pile reader = Pile.Open(PilePath, new PileOptions { ReadOnly = true });
        Assert.Equal([1], reader.Get<List<int>>(first));
        Cycle(cache, 400);
        PilePointer second = cache.Pile.Put(new Dictionary<int, string> { [2] = "two" });
        Assert.Equal("two", reader.Get<Dictionary<int, string>>(second)[2]);
        Assert.Equal([1], reader.Get<List<int>>(first));
        using Pile later = Pile.Open(PilePath, new PileOptions { ReadOnly = true });
        Assert.Equal("two", later.Get<Dictionary<int, string>>(second)[2]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Whatever_operation_fails_on_the_way_nothing_is_lost(bool isDone)
    {
        var faults = new AnewFaults { IsDone = isDone };
        bool hasFailed = true;
        int position;
        using (PileCache cache = Open(faults))
        {
            Fill(cache);
            for (position = TestLeg.Steps(isDone ? 2 : 1, 1); hasFailed; position += TestLeg.Steps(3, 1))
            {
                faults.Arm(position);
                while (faults.Count == 0)
                    Cycle(cache, 1);
                hasFailed = faults.HasFailed;
                faults.Disarm();
                CheckCopies(cache);
                cache.GetOrCreateTable<long, string>("more").Put(1, $"more {position}");
                cache.Pile.Flush();
                CheckCopies(cache);
            }
            Assert.InRange(position, 9, 32);
            Assert.InRange(CatalogBytes, 0, LeastVoidBytes);
        }
        using PileCache reopened = Open();
        Check(reopened);
        Assert.StartsWith("more ", reopened.GetOrCreateTable<long, string>("more").Get(1));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Whenever_the_power_is_cut_on_the_way_nothing_is_lost(int seed)
    {
        var disk = new SimulatedDisk(PilePath, new Random(seed));
        string image = Path.Combine(DirectoryPath, "image");
        int cuts = 0;
        using PileCache cache = Open(disk);
        Fill(cache);
        while (CatalogBytes < LeastVoidBytes - 2_000)
            Cycle(cache, 1);
        bool isOnWay = false;
        disk.Passing = (name, _) =>
        {
            isOnWay |= name == "catalog.new";
            foreach (CutKind kind in isOnWay ? new[] { CutKind.Nothing, CutKind.Everything, CutKind.Sectors } : [])
            {
                disk.Cut(image, kind);
                using PileCache cut = Open(image, boot: OtherBoot);
                Check(cut, $"seed {seed}, cut {cuts++}, {kind}");
            }
        };
        while (!isOnWay)
            Cycle(cache, 1);
        _ = cache.GetOrCreateTable<long, string>("behind");
        disk.Passing = null;
        Assert.InRange(cuts, 3 * 10, int.MaxValue);
    }

    private static void Cycle(PileCache cache, int count)
    {
        for (int i = 0; i < count; i++)
        {
            _ = cache.GetOrCreateTable<long, byte[]>(Long);
            Assert.True(cache.DropTable(Long));
        }
    }

    private PileCache Open(IFileHook? hook = null) => Open(PilePath, hook);

    private PileCache Open(string path, IFileHook? hook = null, Guid? boot = null) =>
        new(
            Pile.Open(path, new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, FileHook = hook, BootId = boot }),
            new PileCacheOptions { OwnsPile = true, TimeProvider = Time, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true });

    private static void Fill(PileCache cache)
    {
        for (int i = 0; i < 5; i++)
            cache.GetOrCreateTable<long, string>($"t{i}").Put(i, $"value {i}");
        Assert.True(cache.DropTable("t1"));
        cache.GetOrCreateTable<string, Version>("again").Put("k", new Version(3, 4));
        Assert.True(cache.DropTable("t3"));
        cache.Pile.Flush();
    }

    private static void Check(PileCache cache, string what = "")
    {
        string[] expected = ["again", "t0", "t2", "t4"];
        Assert.True(expected.All(cache.TableNames.Contains), what + ": " + string.Join(' ', cache.TableNames));
        foreach (int i in new[] { 0, 2, 4 })
            Assert.Equal($"value {i}", cache.GetOrCreateTable<long, string>($"t{i}").Get(i));
        Assert.Equal(new Version(3, 4), cache.GetOrCreateTable<string, Version>("again").Get("k"));
        foreach (string name in new[] { "t1", "t3", "new" })
            Assert.Equal(0, cache.GetOrCreateTable<long, string>(name).Count);
        Assert.Equal(0, cache.Pile.Recovery.FaultCount);
    }

    private void CheckCopies(PileCache cache)
    {
        string copy = Path.Combine(DirectoryPath, "copy");
        foreach (Guid? boot in new Guid?[] { null, OtherBoot })
        {
            KilledPile.Copy(cache.Pile.DirectoryPath!, copy);
            CheckCopy(copy, boot, "copy");
        }
    }

    private void CheckCopy(string path, Guid? boot, string what)
    {
        using (PileCache cache = Open(path, boot: boot))
            Check(cache, what);
        using PileCache again = Open(path);
        Check(again, what);
        Assert.True(again.Pile.Recovery.WasClean);
    }

    /// <summary>Lets an operation fail after the rewrite of the catalog has begun.</summary>
    private sealed class AnewFaults : IFileHook
    {
        private bool _isPending;
        private int _position;

        internal bool IsDone { get; init; }

        internal int Count { get; private set; }

        internal bool HasFailed { get; private set; }

        internal void Arm(int position) => (_position, Count, HasFailed) = (position, 0, false);

        internal void Disarm() => _position = 0;

        public void Before(FileOperation operation, string path)
        {
            if (_position == 0
                || (Count == 0 && !(operation == FileOperation.Create && path.EndsWith("catalog.new", StringComparison.Ordinal))))
                return;
            if (++Count != _position)
                return;
            HasFailed = true;
            _isPending = IsDone;
            if (!IsDone)
                throw new IOException($"'{path}': {operation} fails.");
        }

        public void After(FileOperation operation, string path)
        {
            if (!_isPending)
                return;
            _isPending = false;
            throw new IOException($"'{path}': {operation} is said to have failed.");
        }
    }
}
