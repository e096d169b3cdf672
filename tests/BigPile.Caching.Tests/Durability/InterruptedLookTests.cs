using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Operations;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Durability;

/// <summary>An opening, or a look for what a damaged index misses, that ends early: the next one goes on, and nothing comes back.</summary>
public sealed class InterruptedLookTests : IDisposable
{
    private const int Keys = 3_000;
    private const long Lost = 17;

    private readonly ScratchDirectory _scratch = new();
    private readonly Guid _boot = Guid.NewGuid();
    private readonly CallingLogger _log = new();

    public void Dispose() => _scratch.Dispose();

    /// <summary>The index loses the key, the key is removed before anybody looks for what is lost, and the process is killed.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_key_that_was_removed_while_a_damaged_index_had_lost_it_does_not_come_back(bool isCompared)
    {
        using (PileCache cache = Open("live", _boot))
        {
            CacheTable<long, byte[]> table = Fill(cache, "t");
            TakeSlotOf(table, Lost);
            void RemoveAndKill()
            {
                Assert.False(table.Remove(Lost));
                PileFiles.Copy(_scratch.At("live"), _scratch.At("pile"));
            }
            if (isCompared)
            {
                table.Core.BeginLateInspection();
                RemoveAndKill();
            }
            else
            {
                _log.Told = RemoveAndKill; // it is told before the look for it is asked for
                table.Core.NoteDamage("is said to be damaged by a test");
            }
        }
        _log.Told = null;
        using PileCache again = Open("pile", _boot);
        again.Readiness.Inspection.Wait(Eventually.Patience);
        Assert.False(TableOf(again, "t").ContainsKey(Lost));
        Assert.Equal((Keys - 1, Keys - 1), (TableOf(again, "t").Count, BlocksOf(again)));
    }

    [Fact]
    public async Task A_line_that_is_damaged_at_the_end_of_a_comparison_is_looked_for_again()
    {
        using PileCache cache = Open("pile", _boot);
        TableCore core = Fill(cache, "t").Core;
        Task before = cache.Readiness.Inspection;
        core.BeginLateInspection();
        core.EndInspection(core.DamagedLines - 1);
        await Eventually.TrueAsync(() => cache.Readiness.Inspection != before);
        await cache.Readiness.Inspection.WaitAsync(Eventually.Patience);
        Assert.False(core.HasFlag(IndexHead.DamagedFlag | IndexHead.RemovedFlag | IndexHead.UncomparedFlag));
    }

    /// <summary>What has an index of its own is freed by that, and the walk that another table needs comes behind.</summary>
    [Fact]
    public void A_walk_frees_nothing_that_the_end_of_a_drop_frees()
    {
        var hook = new Hook();
        using (PileCache cache = Open("live", _boot, hook))
        {
            Fill(cache, "walked");
            Fill(cache, "t");
            hook.After = (operation, path) =>
            {
                if (operation == FileOperation.Sync && Path.GetFileName(path) == "catalog" && !Directory.Exists(_scratch.At("pile")))
                    PileFiles.Copy(_scratch.At("live"), _scratch.At("pile"));
            };
            Assert.True(cache.DropTable("t"));
            hook.After = null;
        }
        File.Delete(Path.Combine(_scratch.At("pile"), FilePlace.HeadPrefix + "000001"));
        using PileCache again = Open("pile", _boot);
        Assert.Equal((Keys, Keys), (TableOf(again, "walked").Count, BlocksOf(again)));
        Assert.True(again.Pile.Verify().IsSound);
        TableOf(again, "walked").Core.CheckInvariants();
    }

    /// <summary>Closed indexes, another start of the machine, and an opening that is refused before it says that they are in use.</summary>
    [Fact]
    public void An_opening_that_is_refused_leaves_closed_indexes_as_they_were()
    {
        using (PileCache cache = Open("pile", _boot))
        {
            Fill(cache, "t");
            Fill(cache, "another");
            _ = TableOf(cache, "t").Get(1);
        }
        string[] names = Array.ConvertAll(FilePlace.NamesOf(2), name => Path.Combine(_scratch.At("pile"), name));
        byte[][] files = Array.ConvertAll(names, File.ReadAllBytes);
        File.Delete(names[0]);
        var nextBoot = Guid.NewGuid();
        var hook = new Hook();
        using (Pile pile = Pile.Open(_scratch.At("pile"), Options(nextBoot, hook)))
        {
            hook.After = static (operation, path) =>
            {
                if (operation == FileOperation.Create && Path.GetFileName(path) == FilePlace.HeadPrefix + "000002")
                    throw new IOException("The disk is full, says a test.");
            };
            Assert.Throws<PileStorageException>(() => new PileCache(pile, CacheOptions));
            hook.After = null;
        }
        for (int i = 0; i < names.Length; i++)
            File.WriteAllBytes(names[i], files[i]);
        using PileCache again = Open("pile", nextBoot);
        Assert.True(again.Readiness.WasRestored);
        Assert.Equal((Keys, Keys), (TableOf(again, "t").Count, TableOf(again, "another").Count));
    }

    private static unsafe void TakeSlotOf(CacheTable<long, byte[]> table, long key)
    {
        ulong hash = table.KeyCodec.Probe(key, stackalloc byte[64]).Hash;
        using LockedBucket bucket = table.Core.Index.Lock(hash);
        foreach (SlotPlace place in bucket.Matching(hash))
            place.Store(default);
    }

    private static CacheTable<long, byte[]> Fill(PileCache cache, string name)
    {
        CacheTable<long, byte[]> table = TableOf(cache, name);
        for (long key = 0; key < Keys; key++)
            table.Put(key, BitConverter.GetBytes(key));
        return table;
    }

    private static CacheTable<long, byte[]> TableOf(PileCache cache, string name) =>
        cache.GetOrCreateTable<long, byte[]>(TestCache.Durable(name));

    private static long BlocksOf(PileCache cache) => cache.Pile.LongCount(static entry => entry.Kind == PayloadKind.TableEntry);

    private PileCache Open(string name, Guid boot, IFileHook? hook = null) =>
        new(Pile.Open(_scratch.At(name), Options(boot, hook)), CacheOptions with { OwnsPile = true });

    private static PileCacheOptions CacheOptions =>
        new() { SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable };

    private PileOptions Options(Guid boot, IFileHook? hook) =>
        new() { SegmentBytes = 4 << 20, BootId = boot, FileHook = hook, Logger = _log };

    private sealed class Hook : IFileHook
    {
        internal Action<FileOperation, string>? After { get; set; }

        void IFileHook.Before(FileOperation operation, string path)
        {
        }

        void IFileHook.After(FileOperation operation, string path) => After?.Invoke(operation, path);
    }

    private sealed class CallingLogger : ILogger
    {
        internal Action? Told { get; set; }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (logLevel == LogLevel.Error)
                Told?.Invoke();
        }
    }
}
