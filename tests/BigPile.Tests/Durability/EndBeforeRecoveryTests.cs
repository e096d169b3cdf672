using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Tests.Durability.PowerCuts;

namespace BigPile.Tests.Durability;

/// <summary>A pile that ends again before its pages were examined, which a power cut had left behind.</summary>
public sealed class EndBeforeRecoveryTests
{
    private const int Objects = 600;

    /// <summary>How the life ends that followed the cut.</summary>
    public enum End
    {
        Close,
        Kill,
        KillAndKill,
        KillAndClose,
        KillAndCut,
        Cut,
    }

    [Theory]
    [InlineData(End.Close)]
    [InlineData(End.Kill)]
    [InlineData(End.KillAndKill)]
    [InlineData(End.KillAndClose)]
    [InlineData(End.KillAndCut)]
    [InlineData(End.Cut)]
    public void What_was_flushed_before_the_cut_is_there(End end)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(9);
        var model = new CrashModel();
        var tally = new CutTally();
        using (Pile first = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            Fill(first, model, random);
            ReplaceAll(first, model, random, 300); // behind links
        }
        model.EndFlush(model.BeginFlush());
        using (Pile cut = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            ReplaceAll(cut, model, random, 700);
            Copy(cut, scratch.At("pile"), scratch.At("life0"));
        }
        string left = Lead(scratch, end);
        using (Pile last = Open(left, end is End.Cut or End.KillAndCut ? Guid.NewGuid() : DurabilityTest.NextBoot, bytesPerSecond: 0))
        {
            model.CheckCut(last, end.ToString(), tally);
            last.Recovery.Completion.Wait();
            Assert.Equal(0, last.Recovery.FaultCount);
        }
        Assert.True(tally.IsClean, tally.ToString());
    }

    /// <summary>What was deleted between two cuts looks like what is deleted after the second one.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_flushed_before_two_cuts_is_there_after_a_kill(bool isCutAThirdTime)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(9);
        var model = new CrashModel();
        var tally = new CutTally();
        var thirdBoot = Guid.NewGuid();
        string left = scratch.At("again");
        using (Pile first = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            Fill(first, model, random);
            ReplaceAll(first, model, random, 300); // behind links
        }
        model.EndFlush(model.BeginFlush());
        Cut("pile", "cut", DurabilityTest.FirstBoot);
        Cut("cut", "again", DurabilityTest.NextBoot);
        if (isCutAThirdTime)
        {
            // Of the opening the device has what it says of itself, and nothing of the pages that it examined.
            var disk = new SimulatedDisk(left, random);
            using (Pile.Open(
                left, new PileOptions { SegmentBytes = DurabilityTest.SegmentBytes, BootId = Guid.NewGuid(), FileHook = disk }))
                disk.Cut(left = scratch.At("third"), CutKind.Nothing);
        }
        using (Pile brief = Open(left, thirdBoot))
        {
            brief.Recovery.Pause();
            Copy(brief, left, scratch.At("killed"));
        }
        using (Pile last = Open(scratch.At("killed"), thirdBoot, bytesPerSecond: 0))
            model.CheckCut(last, "killed", tally);
        Assert.True(tally.IsClean, tally.ToString());

        void Cut(string from, string to, Guid boot)
        {
            using Pile pile = Open(scratch.At(from), boot);
            for (int i = Objects - 1; i >= 0; i -= 3)
            {
                byte[] value = CrashValue.NewBytes(random, 900 + i);
                model.Put(model.At(i), value);
                pile.Replace(model.At(i), value);
            }
            Copy(pile, scratch.At(from), scratch.At(to));
        }
    }

    /// <summary>A reader sees what the owner will see once it comes by.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_flushed_before_the_cut_is_there_for_readers(bool isRecoveredMeanwhile)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(9);
        var model = new CrashModel();
        using (Pile first = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            Fill(first, model, random);
            ReplaceAll(first, model, random, 300); // behind links
        }
        Dictionary<PilePointer, object> flushed = new(model.Now);
        using (Pile cut = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            ReplaceAll(cut, model, random, 700);
            Copy(cut, scratch.At("pile"), scratch.At("cut"));
        }
        using Pile owner = Open(scratch.At("cut"), DurabilityTest.NextBoot);
        using Pile reader = Pile.Open(scratch.At("cut"), new PileOptions { ReadOnly = true, BootId = DurabilityTest.NextBoot });
        Assert.All(flushed.Keys.Take(Objects / 2), AssertThere);
        if (isRecoveredMeanwhile)
            owner.Flush();
        Assert.All(flushed.Keys.Skip(Objects / 2), AssertThere);
        Assert.All(flushed.Keys, owner.Delete);
        Assert.All(flushed.Keys, pointer => Assert.False(reader.TryGet(pointer, out object? _)));

        // The pile may have flushed by itself meanwhile.
        void AssertThere(PilePointer pointer)
        {
            object found = reader.Get(pointer);
            Assert.True(CrashValue.AreEqual(flushed[pointer], found) || CrashValue.AreEqual(model.Now[pointer], found));
        }
    }

    /// <summary>What was freed behind the last look of a checkpoint that failed has the mark of an epoch that did not come.</summary>
    [Fact]
    public void What_was_deleted_after_a_failed_checkpoint_stays_deleted_after_a_kill_and_a_flush()
    {
        using var scratch = new ScratchDirectory();
        bool fails = false;
        bool isFlushing = false;
        var options = new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 1 << 20,
            BootId = DurabilityTest.FirstBoot,
            Syncing = path =>
            {
                if (fails && Path.GetFileName(path).StartsWith("log", StringComparison.Ordinal))
                    throw new IOException("refused by a test");
            },
        };
        PilePointer[] deleted;
        using (Pile pile = Pile.Open(scratch.At("pile"), options))
        {
            deleted = [.. Enumerable.Range(0, 50).Select(i => pile.Put(new byte[i * 30]))];
            PilePointer kept = pile.Put("keeps the page");
            pile.Flush();
            pile.Replace(kept, "is moved, which the log has to say");
            pile.Engine.RequestCheckpoint();
            fails = true;
            Assert.Throws<PileStorageException>(() => pile.Flush());
            Array.ForEach(deleted, pile.Delete);
            KilledPile.Copy(scratch.At("pile"), scratch.At("killed"));
            fails = false;
        }
        // The cut comes once the superblock has the next epoch, and before the headers of what is gone for good are settled.
        using (Pile pile = Pile.Open(scratch.At("killed"), new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 1 << 20,
            BootId = DurabilityTest.FirstBoot,
            Synced = path =>
            {
                if (isFlushing && Path.GetFileName(path) == "superblock")
                    KilledPile.Copy(scratch.At("killed"), scratch.At("cut"));
            },
        }))
        {
            isFlushing = true;
            pile.Flush();
            isFlushing = false;
        }
        using Pile cut = Open(scratch.At("cut"), DurabilityTest.NextBoot);
        Assert.DoesNotContain(deleted, pointer => cut.Contains(pointer));
    }

    /// <summary>Who closes a pile that a power cut left has examined it; what it deleted is no deletion of before the cut.</summary>
    [Fact]
    public void What_was_deleted_after_a_cut_stays_deleted_wherever_the_closing_is_killed()
    {
        using var scratch = new ScratchDirectory();
        PilePointer[] deleted;
        using (Pile pile = Open(scratch.At("pile"), DurabilityTest.FirstBoot))
        {
            deleted = [.. Enumerable.Range(0, 50).Select(i => pile.Put(new byte[i * 30]))];
            pile.Put("keeps the page");
            pile.Flush();
            Copy(pile, scratch.At("pile"), scratch.At("cut"));
        }
        int images = 0;
        bool isClosing = false;
        var options = new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            BootId = DurabilityTest.NextBoot,
            Syncing = _ => Keep(),
            Synced = _ => Keep(),
        };
        using (Pile pile = Pile.Open(scratch.At("cut"), options))
        {
            pile.Recovery.Completion.Wait();
            Array.ForEach(deleted, pile.Delete);
            isClosing = true;
        }
        isClosing = false;
        Assert.InRange(images, 4, 100);
        for (int i = 0; i < images; i++)
        {
            using Pile pile = Open(scratch.At($"image{i}"), DurabilityTest.NextBoot, bytesPerSecond: 0);
            Assert.DoesNotContain(deleted, pointer => pile.Contains(pointer));
        }

        void Keep()
        {
            if (isClosing)
                KilledPile.Copy(scratch.At("cut"), scratch.At($"image{images++}"));
        }
    }

    private static string Lead(ScratchDirectory scratch, End end)
    {
        Live(scratch, 0, isClosed: end == End.Close);
        if (end is End.KillAndKill or End.KillAndClose)
            Live(scratch, 1, isClosed: end == End.KillAndClose);
        return scratch.At(end is End.KillAndKill or End.KillAndClose ? "life2" : "life1");
    }

    // Examines some pages and no more, and nobody looks.
    private static void Live(ScratchDirectory scratch, int life, bool isClosed)
    {
        using (Pile pile = Open(scratch.At($"life{life}"), DurabilityTest.NextBoot))
        {
            pile.Recovery.Pause(); // a copy is no instant: nothing may come and go meanwhile
            if (!isClosed)
                Copy(pile, scratch.At($"life{life}"), scratch.At($"life{life + 1}"));
        }
        if (isClosed)
            KilledPile.Copy(scratch.At($"life{life}"), scratch.At($"life{life + 1}"));
    }

    // As a kill leaves it. The pile flushes by itself when much was freed: segments from before that, and a superblock from behind it, are
    // of no instant.
    private static void Copy(Pile pile, string from, string to)
    {
        lock (pile.Engine.Flushing)
            KilledPile.Copy(from, to);
    }

    private static void Fill(Pile pile, CrashModel model, Random random)
    {
        for (int i = 0; i < Objects; i++)
        {
            byte[] value = CrashValue.NewBytes(random, 20);
            model.Put(pile.Put(value), value);
        }
    }

    private static void ReplaceAll(Pile pile, CrashModel model, Random random, int lengthBytes)
    {
        for (int i = 0; i < Objects; i++)
        {
            byte[] value = CrashValue.NewBytes(random, lengthBytes + i * 40);
            model.Put(model.At(i), value);
            pile.Replace(model.At(i), value);
        }
    }

    private static Pile Open(string directory, Guid boot, long bytesPerSecond = 1) => Pile.Open(
        directory,
        new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 4 << 20,
            BootId = boot,
            Warmup = PileWarmup.Touch,
            WarmupBytesPerSecond = bytesPerSecond,
        });
}
