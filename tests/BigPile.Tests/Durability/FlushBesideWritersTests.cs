using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Checking;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A flush beside writers makes durable one instant of the pile.</summary>
public sealed class FlushBesideWritersTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Writers = 3;
    private const int Keys = 60;

    [Fact]
    public async Task Of_an_entry_that_is_put_anew_one_is_there_after_a_power_cut_that_is_as_new_as_the_flush()
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
                int id = CheckedValue.IdOf(value);
                // Later ones may be there as well: a checkpoint syncs the segments beside the writers. A table takes the newest of a key.
                found[id] = Math.Max(found.GetValueOrDefault(id), CheckedValue.VersionOf(value, id));
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

    /// <summary>Of a flushed link whose payload came back the own block has it, where no later move may store before the copy.</summary>
    [CrashPointFact]
    public void A_payload_that_came_back_stays_until_the_flush_has_copied_it()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(NumberedBytes(0, 20));
        pile.Replace(pointer, NumberedBytes(1, 2_000));
        pile.Flush(); // a link on the device as well
        pile.Replace(pointer, NumberedBytes(2, 20));
        var relocator = new Relocator(pile.Blocks, new Replacer(pile.Blocks));
        relocator.Move(pointer);
        Assert.False(relocator.IsLink(pointer));
        bool isDone = false;
        using (new CrashPointScope<CrashPoint>(point =>
        {
            if (point != CrashPoint.FlushBeforeCopy)
                return;
            pile.Replace(pointer, NumberedBytes(3, 20));
            relocator.Move(pointer);
            isDone = true;
        }))
        {
            pile.Flush();
        }
        Assert.True(isDone);
        Assert.Equal(NumberedBytes(3, 20), pile.GetBytes(pointer));
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.Equal(NumberedBytes(2, 20), image.GetBytes(pointer));
    }

    [Fact]
    public async Task A_flush_waits_for_no_reader_and_who_changes_something_in_one_waits_for_the_flush()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(NumberedBytes(0, 20));
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader();
        Task flush = SideBySide.Start(() => pile.Flush());
        Eventually.True(() => flush.IsCompleted); // another one is inside
        critical.Exit();
        using var isBlocked = new ManualResetEventSlim();
        using var mayGoOn = new ManualResetEventSlim();
        Task exclusive = SideBySide.Start(() => pile.Blocks.Barrier.RunExclusive(() =>
        {
            isBlocked.Set();
            mayGoOn.Wait(Eventually.Timeout);
        }));
        Task change = SideBySide.Start(() =>
        {
            CriticalRegion reader = pile.Blocks.Barrier.EnterReader();
            isBlocked.Wait(Eventually.Timeout);
            pile.Replace(pointer, NumberedBytes(1, 20));
            reader.Exit();
            Assert.True(mayGoOn.IsSet, "Something changed while writers were blocked.");
        });
        isBlocked.Wait(Eventually.Timeout);
        Assert.Equal(NumberedBytes(0, 20), pile.GetBytes(pointer));
        mayGoOn.Set();
        await exclusive;
        await change;
        Assert.Equal(NumberedBytes(1, 20), pile.GetBytes(pointer));
    }

    private static byte[] NumberedBytes(int number, int lengthBytes) => Noise.Of(lengthBytes, number);

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
