using System;
using System.IO;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Recovery;
using BigPile.Caching.Tables;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Durability;

/// <summary>An opening or an inspection that ends early: the next one continues, and nothing removed comes back.</summary>
public sealed class InterruptedInspectionTests : KeptFilesTest
{
    private const long Lost = 17;

    private Action? _told;

    /// <summary>The index loses the key, the key is removed before an inspection finds it, and the process is killed.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_key_that_was_removed_while_a_damaged_index_had_lost_it_does_not_come_back(bool isCompared)
    {
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, byte[]> table = Fill(cache);
            TakeSlotOf(table, Lost);
            void RemoveAndKill()
            {
                Assert.False(table.Remove(Lost));
                KilledPile.Copy(At("live"), At("pile"));
            }
            if (isCompared)
            {
                new TableInspection(table.Core).BeginLate();
                RemoveAndKill();
            }
            else
            {
                _told = RemoveAndKill; // damage is reported before the inspection is queued
                table.Core.ReportDamage("is said to be damaged by a test");
            }
        }
        _told = null;
        using PileCache again = Open("pile", Boot);
        again.Readiness.Inspection.Wait(Eventually.Timeout);
        Assert.False(TableOf(again).ContainsKey(Lost));
        Assert.Equal((Keys - 1, Keys - 1), (TableOf(again).Count, BlocksOf(again)));
    }

    [Fact]
    public async Task A_line_that_is_damaged_at_the_end_of_a_comparison_is_looked_for_again()
    {
        using PileCache cache = Open("pile", Boot);
        TableEngine core = Fill(cache).Core;
        Task before = cache.Readiness.Inspection;
        new TableInspection(core).BeginLate();
        new TableInspection(core).End(core.DamagedLines - 1);
        await Eventually.TrueAsync(() => cache.Readiness.Inspection != before);
        await cache.Readiness.Inspection.WaitAsync(Eventually.Timeout);
        Assert.False(core.Index.HasFlag(IndexHead.DamagedFlag | IndexHead.RemovedFlag | IndexHead.UninspectedFlag));
    }

    /// <summary>What has an index of its own is freed by that, and the walk that another table needs comes behind.</summary>
    [Fact]
    public void A_walk_frees_nothing_that_the_end_of_a_drop_frees()
    {
        KillDrop("pile", static cache =>
        {
            Fill(cache, "walked");
            Fill(cache);
        });
        File.Delete(Path.Combine(At("pile"), FileIndexStorage.HeadPrefix + "000001"));
        using PileCache again = Open("pile", Boot);
        Assert.Equal((Keys, Keys), (TableOf(again, "walked").Count, BlocksOf(again)));
        Assert.True(again.Pile.Verify().IsSound);
        TableOf(again, "walked").Core.CheckInvariants();
    }

    /// <summary>Closed indexes, another start of the machine, and an opening that is refused before it says that they are in use.</summary>
    [Fact]
    public void An_opening_that_is_refused_leaves_closed_indexes_as_they_were()
    {
        using (PileCache cache = Open("pile", Boot))
        {
            Fill(cache);
            Fill(cache, "another");
            _ = TableOf(cache).Get(1);
        }
        string[] names = Array.ConvertAll(FileIndexStorage.NamesOf(2), name => Path.Combine(At("pile"), name));
        byte[][] files = Array.ConvertAll(names, File.ReadAllBytes);
        File.Delete(names[0]);
        var hook = new Hook();
        using (Pile pile = Pile.Open(At("pile"), Options(NextBoot, hook)))
        {
            hook.After = static (operation, path) =>
            {
                if (operation == FileOperation.Create && Path.GetFileName(path) == FileIndexStorage.HeadPrefix + "000002")
                    throw new IOException("The disk is full, says a test.");
            };
            Assert.Throws<PileStorageException>(() => new PileCache(pile, CacheOptions));
            hook.After = null;
        }
        for (int i = 0; i < names.Length; i++)
            File.WriteAllBytes(names[i], files[i]);
        using PileCache again = Open("pile", NextBoot);
        Assert.True(again.Readiness.WasRestored);
        Assert.Equal((Keys, Keys), (TableOf(again).Count, TableOf(again, "another").Count));
    }

    private static unsafe void TakeSlotOf(CacheTable<long, byte[]> table, long key)
    {
        ulong hash = table.KeyCodec.Probe(key, stackalloc byte[64]).Hash;
        using LockedBucket bucket = table.Core.Index.Lock(hash);
        foreach (SlotPlace place in bucket.Matching(hash))
            place.Store(default);
    }

    private protected override PileOptions Options(Guid boot, IFileHook? hook) => base.Options(boot, hook) with
    {
        Logger = new CallingLogger((level, _) =>
        {
            if (level == LogLevel.Error)
                _told?.Invoke();
        }),
    };

    private sealed class Hook : IFileHook
    {
        internal Action<FileOperation, string>? After { get; set; }

        void IFileHook.Before(FileOperation operation, string path)
        {
        }

        void IFileHook.After(FileOperation operation, string path) => After?.Invoke(operation, path);
    }
}
