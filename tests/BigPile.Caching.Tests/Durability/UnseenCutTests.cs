using System;
using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>A power cut that a pile recovered from by itself, before its tables are opened again.</summary>
public sealed class UnseenCutTests : IDisposable
{
    private readonly ScratchDirectory _scratch = new();
    private readonly SimulatedDisk _disk;
    private readonly Guid _boot = Guid.NewGuid();
    private readonly Guid _nextBoot = Guid.NewGuid();

    public UnseenCutTests() => _disk = new SimulatedDisk(_scratch.At("life0"), new Random(1));

    public void Dispose()
    {
        _disk.Forget();
        _scratch.Dispose();
    }

    /// <summary>The indexes were closed, with all that there was; of the entries the cut took what was not flushed.</summary>
    [Theory]
    [InlineData(nameof(CutKind.Nothing), false)]
    [InlineData(nameof(CutKind.Nothing), true)]
    [InlineData(nameof(CutKind.Everything), false)]
    [InlineData(nameof(CutKind.Everything), true)]
    public void What_was_flushed_is_there_though_indexes_were_closed_behind_it(string reached, bool isKilled)
    {
        ChangeWhatWasFlushed();
        CloseIndexesAlone();
        _disk.Cut(_scratch.At("cut"), Enum.Parse<CutKind>(reached));
        string recovered = RecoverPileAlone(isKilled);

        using PileCache cache = Open(recovered, _nextBoot);
        CacheTable<long, byte[]> table = TableOf(cache);
        Assert.True(table.TryGet(1, out byte[]? first) && first[0] is 1 or 11, "what was put anew is neither old nor new");
        Assert.True(table.TryGet(2, out byte[]? second) && second[0] == 2, "what was removed, and the removal not flushed, is gone");
        Assert.Equal(2, table.Count);
        Assert.Equal(2, BlocksOf(cache));
    }

    /// <summary>
    /// An opening ends before the device has that closed indexes are in use again. The next one finds them in use, and must not believe
    /// that the device knows.
    /// </summary>
    [Fact]
    public void What_was_removed_and_flushed_is_gone_though_an_opening_before_ended_early()
    {
        using (PileCache first = Open("life0", _boot, _disk))
        {
            for (long key = 1; key <= 3; key++)
                TableOf(first).Put(key, [(byte)key]);
        }
        using (Pile pile = Pile.Open(_scratch.At("life0"), Options(_boot, _disk)))
        {
            _disk.Refuses = static name => name == "index";
            Assert.Throws<PileStorageException>(() => new PileCache(pile, CacheOptions));
            _disk.Refuses = null;
            Kill("life0", "life1");
        }
        using (PileCache next = Open("life1", _boot, _disk))
        {
            Assert.True(next.Readiness.WasRestored);
            Assert.True(TableOf(next).Remove(2)); // takes no version: the last one is as it was when the indexes were closed
            next.Pile.Flush();
            Kill("life1", "life2");
        }
        Pile.Open(_scratch.At("life2"), Options(_boot, _disk)).Dispose();
        _disk.Cut(_scratch.At("cut"), CutKind.Nothing);
        CheckAfterCut(_nextBoot, 1, 3);
    }

    [Theory]
    [InlineData("use", false)]
    [InlineData("use", true)]
    [InlineData("index", false)]
    [InlineData("index", true)]
    public void A_kill_while_an_opening_states_its_use_costs_no_walk(string file, bool isWritten)
    {
        using (PileCache first = Open("life0", _boot, _disk))
            TableOf(first).Put(1, [1]);
        _disk.Passing = (name, isDone) =>
        {
            if (name == file && isDone == isWritten && !Directory.Exists(_scratch.At("cut")))
                PileFiles.Copy(_scratch.At("life0"), _scratch.At("cut"));
        };
        using (Open("life0", _boot, _disk))
            _disk.Passing = null;
        using (PileCache killed = Open("cut", _boot))
            Assert.True(killed.Readiness.WasRestored);
        CheckAfterCut(_boot, 1);
    }

    /// <summary>The files of one table come from a copy of an earlier time.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_put_is_there_though_the_tables_index_is_an_older_one(bool isNextBoot)
    {
        using (PileCache first = Open("cut", _boot))
            TableOf(first).Put(1, [1]);
        PileFiles.Copy(_scratch.At("cut"), _scratch.At("older"));
        using (PileCache second = Open("cut", _boot))
            TableOf(second).Put(3, [3]);
        foreach (string older in Directory.GetFiles(_scratch.At("older"), "*-000001").Where(static path => !path.Contains("segment")))
            File.Copy(older, Path.Combine(_scratch.At("cut"), Path.GetFileName(older)), overwrite: true);
        CheckAfterCut(isNextBoot ? _nextBoot : _boot, 1, 3);
    }

    /// <summary>What a dropped table left, and a power cut brought back, is found by a walk; a kill comes before that begins.</summary>
    [Fact]
    public void What_was_dropped_is_freed_though_the_walk_for_it_was_cut_off()
    {
        using (PileCache first = Open("life0", _boot, _disk))
        {
            for (long key = 1; key <= 3; key++)
                TableOf(first).Put(key, [(byte)key]);
            first.Pile.Flush();
            Assert.True(first.DropTable("t"));
            _disk.Cut(_scratch.At("cut"), CutKind.Nothing);
        }
        Array.ForEach(Directory.GetFiles(_scratch.At("cut"), "*-000001"), File.Delete);
        var disk = new SimulatedDisk(_scratch.At("cut"), new Random(1));
        int thread = Environment.CurrentManagedThreadId;
        disk.Passing = (name, _) =>
        {
            if (name == "superblock" && Environment.CurrentManagedThreadId == thread)
                Copy("cut", "killed"); // the last time behind all that is stated before the walk
        };
        using (PileCache cut = Open("cut", _nextBoot, disk))
        {
            disk.Passing = null;
            Assert.Equal(0, BlocksOf(cut));
        }
        disk.Forget();

        using PileCache killed = Open("killed", _nextBoot);
        Assert.False(killed.Pile.Recovery.WasPowerCut);
        Assert.Equal(0, BlocksOf(killed));
    }

    private static long BlocksOf(PileCache cache) => cache.Pile.LongCount(static entry => entry.Kind == PayloadKind.TableEntry);

    private void CheckAfterCut(Guid boot, params long[] keys)
    {
        using PileCache cache = Open("cut", boot);
        cache.Readiness.Inspection.Wait();
        foreach (long key in keys)
            Assert.Equal(key, Assert.Single(TableOf(cache).Get(key)!));
        Assert.Equal(keys.Length, TableOf(cache).Count);
        Assert.Equal(keys.Length, BlocksOf(cache));
    }

    private void Copy(string from, string to)
    {
        if (Directory.Exists(_scratch.At(to)))
            Directory.Delete(_scratch.At(to), recursive: true);
        PileFiles.Copy(_scratch.At(from), _scratch.At(to));
    }

    // The process is killed.
    private void ChangeWhatWasFlushed()
    {
        using PileCache cache = Open("life0", _boot, _disk);
        CacheTable<long, byte[]> table = TableOf(cache);
        table.Put(1, [1]);
        table.Put(2, [2]);
        cache.Pile.Flush();
        table.Put(1, [11]);
        Assert.True(table.Remove(2));
        Kill("life0", "life1");
    }

    // Nothing is put meanwhile: the last version is the one that the pile has reserved.
    private void CloseIndexesAlone()
    {
        using Pile pile = Pile.Open(_scratch.At("life1"), Options(_boot, _disk));
        using (PileCache cache = new(pile, CacheOptions))
            Assert.False(TableOf(cache).ContainsKey(2));
        Kill("life1", "life2");
    }

    private string RecoverPileAlone(bool isKilled)
    {
        string name = "cut";
        if (isKilled)
        {
            using Pile killed = Pile.Open(_scratch.At("cut"), Options(_nextBoot, null));
            Assert.True(killed.Recovery.WasPowerCut);
            PileFiles.Copy(_scratch.At(name), _scratch.At(name = "killed"));
        }
        using Pile pile = Pile.Open(_scratch.At(name), Options(_nextBoot, null));
        Assert.Equal(!isKilled, pile.Recovery.WasPowerCut);
        return name;
    }

    private void Kill(string name, string next)
    {
        PileFiles.Copy(_scratch.At(name), _scratch.At(next));
        _disk.MoveTo(_scratch.At(next));
    }

    private static CacheTable<long, byte[]> TableOf(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());

    private PileCache Open(string name, Guid boot, SimulatedDisk? disk = null) =>
        new(Pile.Open(_scratch.At(name), Options(boot, disk)), CacheOptions with { OwnsPile = true });

    private static PileCacheOptions CacheOptions =>
        new() { SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable };

    private static PileOptions Options(Guid boot, SimulatedDisk? disk) => new() { SegmentBytes = 4 << 20, BootId = boot, FileHook = disk };
}
