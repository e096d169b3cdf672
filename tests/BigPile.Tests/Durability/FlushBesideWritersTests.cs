using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A flush beside writers makes durable one instant of the pile: whole changes, and none in part.</summary>
public sealed class FlushBesideWritersTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Writers = 3;
    private const int Keys = 60;

    [Fact]
    public async Task Of_an_entry_that_is_put_anew_exactly_one_is_there_after_a_power_cut()
    {
        int seed = TestLeg.Seed(81);
        output.WriteLine($"seed {seed}");
        using Pile pile = Open(static options => options with { FlushLogBytes = 2 << 20 });
        var versions = new int[Writers * Keys];
        var pointers = new PilePointer[Writers * Keys];
        for (int id = 0; id < pointers.Length; id++)
            pointers[id] = pile.Put(CheckedValue.Make(id, 0, 100));
        long restored = 0;
        int flushes = TestLeg.Steps(8, 500);
        bool Flush(int flush)
        {
            int[] atLeast = [.. versions.Select((_, id) => Volatile.Read(ref versions[id]))];
            pile.Flush();
            Files.Build(ImagePath);
            using Pile image = OpenImage();
            image.Recovery.Completion.Wait();
            restored += image.Recovery.RestoredCount;
            var found = new Dictionary<int, int>();
            foreach (PileEntry entry in image)
            {
                byte[] value = image.GetBytes(entry.Pointer);
                Assert.True(found.TryAdd(CheckedValue.IdOf(value), CheckedValue.VersionOf(value, CheckedValue.IdOf(value))),
                    $"seed {seed}, flush {flush}: two of one key");
            }
            Assert.Equal(pointers.Length, found.Count);
            Assert.All(found, pair =>
                Assert.True(pair.Value >= atLeast[pair.Key], $"seed {seed}, flush {flush}: key {pair.Key} is older than the flush"));
            return flush < flushes - 1 || restored != 0; // goes on until it has met a change
        }

        await SideBySide.RoundsAsync(
        [
            new SideBySide.Worker(flushes, Flush),
            .. Enumerable.Range(0, Writers).Select(i => new SideBySide.Worker(1_000, Writer(pile, pointers, versions, i, seed))),
        ]);
        output.WriteLine($"flushes {flushes}, blocks put back {restored:N0}, changes {versions.Sum(static version => (long)version):N0}");
        Assert.NotEqual(0, restored);
        Assert.True(pile.Verify().IsSound);
    }

    private static Action<int> Writer(Pile pile, PilePointer[] pointers, int[] versions, int writer, int seed)
    {
        var random = new Random(seed + writer);
        return _ =>
        {
            int id = writer * Keys + random.Next(Keys);
            int version = versions[id] + 1;
            byte[] value = CheckedValue.Make(id, version, random.Next(50) == 0 ? random.Next(30_000, 90_000) : random.Next(600));
            if (random.Next(2) == 0)
                pile.Replace(pointers[id], value);
            else
                PutAnew(pile, ref pointers[id], value);
            Volatile.Write(ref versions[id], version);
        };
    }

    // As a table does: both inside one visit to the pile.
    private static void PutAnew(Pile pile, ref PilePointer pointer, byte[] value)
    {
        CriticalRegion critical = pile.Blocks.Barrier.EnterWriter();
        try
        {
            PilePointer old = pointer;
            pointer = pile.Put(value);
            pile.Delete(old);
        }
        finally
        {
            critical.Exit();
        }
    }
}
