using System;
using System.IO;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>A power cut that a pile recovered from by itself, before its tables are opened again.</summary>
public sealed class UnseenCutTests : KeptFilesTest
{
    private readonly SimulatedDisk _disk;

    public UnseenCutTests() => _disk = new SimulatedDisk(At("life0"), new Random(1));

    private protected override void End() => _disk.Forget();

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
        _disk.Cut(At("cut"), Enum.Parse<CutKind>(reached));
        string recovered = RecoverPileAlone(isKilled);

        using PileCache cache = Open(recovered, NextBoot);
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
    [Theory]
    [InlineData("use")]
    [InlineData("index")]
    public void What_was_removed_and_flushed_is_gone_though_an_opening_before_ended_early(string file)
    {
        using (PileCache first = Open("life0", Boot, _disk))
        {
            for (long key = 1; key <= 3; key++)
                TableOf(first).Put(key, [(byte)key]);
        }
        using (Pile pile = Pile.Open(At("life0"), Options(Boot, _disk)))
        {
            _disk.Refuses = name => name == file;
            Assert.Throws<PileStorageException>(() => new PileCache(pile, CacheOptions));
            _disk.Refuses = null;
            Kill("life0", "life1");
        }
        using (PileCache next = Open("life1", Boot, _disk))
        {
            Assert.True(next.Readiness.WasRestored);
            Assert.True(TableOf(next).Remove(2)); // takes no version: the last one is as it was when the indexes were closed
            next.Pile.Flush();
            Kill("life1", "life2");
        }
        Pile.Open(At("life2"), Options(Boot, _disk)).Dispose();
        _disk.Cut(At("cut"), CutKind.Nothing);
        CheckAfterCut(NextBoot, 1, 3);
    }

    [Theory]
    [InlineData("use", false)]
    [InlineData("use", true)]
    [InlineData("index", false)]
    [InlineData("index", true)]
    public void A_kill_while_an_opening_states_its_use_costs_no_walk(string file, bool isWritten)
    {
        using (PileCache first = Open("life0", Boot, _disk))
            TableOf(first).Put(1, [1]);
        _disk.Passing = (name, isDone) =>
        {
            if (name == file && isDone == isWritten && !Directory.Exists(At("cut")))
                KilledPile.Copy(At("life0"), At("cut"));
        };
        using (Open("life0", Boot, _disk))
            _disk.Passing = null;
        using (PileCache killed = Open("cut", Boot))
            Assert.True(killed.Readiness.WasRestored);
        CheckAfterCut(Boot, 1);
    }

    /// <summary>The files of one table come from a copy of an earlier time.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_put_is_there_though_the_tables_index_is_an_older_one(bool isNextBoot)
    {
        using (PileCache first = Open("cut", Boot))
            TableOf(first).Put(1, [1]);
        KilledPile.Copy(At("cut"), At("older"));
        using (PileCache second = Open("cut", Boot))
            TableOf(second).Put(3, [3]);
        foreach (string older in Directory.GetFiles(At("older"), "*-000001").Where(static path => !path.Contains("segment")))
            File.Copy(older, Path.Combine(At("cut"), Path.GetFileName(older)), overwrite: true);
        CheckAfterCut(isNextBoot ? NextBoot : Boot, 1, 3);
    }

    /// <summary>What a dropped table left, and a power cut brought back, is found by a walk; a kill comes before that begins.</summary>
    [Fact]
    public void What_was_dropped_is_freed_though_the_walk_for_it_was_cut_off()
    {
        using (PileCache first = Open("life0", Boot, _disk))
        {
            for (long key = 1; key <= 3; key++)
                TableOf(first).Put(key, [(byte)key]);
            first.Pile.Flush();
            Assert.True(first.DropTable("t"));
            _disk.Cut(At("cut"), CutKind.Nothing);
        }
        Array.ForEach(Directory.GetFiles(At("cut"), "*-000001"), File.Delete);
        var disk = new SimulatedDisk(At("cut"), new Random(1));
        int thread = Environment.CurrentManagedThreadId;
        disk.Passing = (name, _) =>
        {
            if (name == "superblock" && Environment.CurrentManagedThreadId == thread)
                Copy("cut", "killed"); // the last time behind all that is stated before the walk
        };
        using (PileCache cut = Open("cut", NextBoot, disk))
        {
            disk.Passing = null;
            Assert.Equal(0, BlocksOf(cut));
        }
        disk.Forget();

        using PileCache killed = Open("killed", NextBoot);
        Assert.False(killed.Pile.Recovery.WasPowerCut);
        Assert.Equal(0, BlocksOf(killed));
    }

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
        if (Directory.Exists(At(to)))
            Directory.Delete(At(to), recursive: true);
        KilledPile.Copy(At(from), At(to));
    }

    // The process is killed.
    private void ChangeWhatWasFlushed()
    {
        using PileCache cache = Open("life0", Boot, _disk);
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
        using Pile pile = Pile.Open(At("life1"), Options(Boot, _disk));
        using (PileCache cache = new(pile, CacheOptions))
            Assert.False(TableOf(cache).ContainsKey(2));
        Kill("life1", "life2");
    }

    private string RecoverPileAlone(bool isKilled)
    {
        string name = "cut";
        if (isKilled)
        {
            using Pile killed = Pile.Open(At("cut"), Options(NextBoot, null));
            Assert.True(killed.Recovery.WasPowerCut);
            KilledPile.Copy(At(name), At(name = "killed"));
        }
        using Pile pile = Pile.Open(At(name), Options(NextBoot, null));
        Assert.Equal(!isKilled, pile.Recovery.WasPowerCut);
        return name;
    }

    private void Kill(string name, string next)
    {
        KilledPile.Copy(At(name), At(next));
        _disk.MoveTo(At(next));
    }
}
