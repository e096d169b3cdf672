using System;
using System.IO;
using System.Linq;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Durability;

/// <summary>A test with the files of a pile and its indexes, by name, and with the starts of the machine that they are opened by.</summary>
public abstract class KeptFilesTest : IDisposable
{
    /// <summary>How many keys a filled table has, from 0.</summary>
    private protected const int Keys = 3_000;

    private readonly ScratchDirectory _scratch = new();

    /// <summary>The start of the machine in which the files are made.</summary>
    protected Guid Boot { get; } = Guid.NewGuid();

    /// <summary>Another one.</summary>
    protected Guid NextBoot { get; } = Guid.NewGuid();

    private protected static PileCacheOptions CacheOptions =>
        new() { SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable };

    public void Dispose()
    {
        End();
        _scratch.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Ends what the test has beside the files.</summary>
    private protected virtual void End()
    {
    }

    private protected virtual PileOptions Options(Guid boot, IFileHook? hook) =>
        new() { SegmentBytes = 4 << 20, BootId = boot, FileHook = hook };

    /// <summary>The path of a directory.</summary>
    private protected string At(string name) => _scratch.At(name);

    private protected PileCache Open(string name, Guid boot, IFileHook? hook = null, string? indexes = null) => new(
        Pile.Open(At(name), Options(boot, hook)),
        CacheOptions with { OwnsPile = true, IndexDirectory = indexes == null ? null : At(indexes) });

    private protected static CacheTable<long, byte[]> TableOf(PileCache cache, string name = "t") =>
        cache.GetOrCreateTable<long, byte[]>(TestCache.Durable(name));

    /// <summary>Puts keys with values that say which they are of.</summary>
    private protected static CacheTable<long, byte[]> Fill(PileCache cache, string name = "t", int from = 0, int end = Keys)
    {
        CacheTable<long, byte[]> table = TableOf(cache, name);
        for (long key = from; key < end; key++)
            table.Put(key, BitConverter.GetBytes(key));
        return table;
    }

    private protected static long BlocksOf(PileCache cache) =>
        cache.Pile.LongCount(static entry => entry.Kind == PayloadKind.TableEntry);

    /// <summary>Works on tables in a directory "live" and drops "t"; a kill behind the catalog's record leaves a directory.</summary>
    private protected void KillDrop(string left, Action<PileCache> work)
    {
        var disk = new SimulatedDisk(At("live"), new Random(1));
        using (PileCache cache = Open("live", Boot, disk))
        {
            work(cache);
            disk.Passing = (name, isDone) =>
            {
                if (name == "catalog" && isDone && !Directory.Exists(At(left)))
                    KilledPile.Copy(At("live"), At(left));
            };
            Assert.True(cache.DropTable("t"));
        }
        disk.Forget();
    }
}
