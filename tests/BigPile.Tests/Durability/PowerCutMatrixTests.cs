using System;
using System.Linq;
using BigPile.Tests.Durability.PowerCuts;

namespace BigPile.Tests.Durability;

/// <summary>One kind of change of flushed objects, and one kind of cut behind it.</summary>
public sealed class PowerCutMatrixTests
{
    private const int Objects = 150;

    private static readonly string[] Changes =
    [
        "same size", "smaller", "larger", "larger twice", "link to smaller", "compact link", "compact and replace link", "part", "delete",
        "delete link",
    ];

    /// <summary>What was flushed lies in the log, or where the log was emptied, in the segments alone.</summary>
    public static TheoryData<string, bool> Cases()
    {
        var cases = new TheoryData<string, bool>();
        foreach (string change in Changes)
        {
            cases.Add(change, false);
            cases.Add(change, true);
        }
        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_flushed_object_that_was_changed_is_old_or_new_whatever_sectors_reached(string change, bool isInLog)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(7);
        var disk = new SimulatedDisk(scratch.At("pile"), random);
        var model = new CrashModel();
        var tally = new CutTally();
        using (Pile before = Open(scratch.At("pile"), disk))
        {
            if (!isInLog)
                Fill(before, model, random, change.Contains("link", StringComparison.Ordinal));
        }
        using Pile pile = Open(scratch.At("pile"), disk);
        if (isInLog)
            Fill(pile, model, random, change.Contains("link", StringComparison.Ordinal));
        pile.Flush();
        model.EndFlush(model.BeginFlush());
        Change(pile, model, random, change);
        foreach (CutKind kind in Enum.GetValues<CutKind>().Where(static kind => kind != CutKind.End))
        {
            disk.Cut(scratch.At("image"), kind);
            using (Pile image = Open(scratch.At("image"), null))
                model.CheckCut(image, $"{change}, {kind} reached", tally);
            Assert.True(Pile.VerifyDirectory(scratch.At("image")).IsSound);
        }
        Assert.True(tally.IsClean, tally.ToString());
    }

    /// <summary>No power cut is needed: the log is replayed wherever the machine was started anew.</summary>
    [Fact]
    public void Links_that_were_moved_and_replaced_after_a_flush_survive_a_kill_and_another_boot()
    {
        const int links = 2_000;
        using var scratch = new ScratchDirectory();
        var random = new Random(11);
        var model = new CrashModel();
        using Pile pile = Open(scratch.At("pile"), null, DurabilityTest.FirstBoot);
        for (int i = 0; i < links; i++)
        {
            PilePointer pointer = pile.Put($"short {i}");
            string value = $"longer than its place {i} {new string('x', 60)}";
            pile.Replace(pointer, value);
            model.Put(pointer, value);
        }
        pile.Flush();
        model.EndFlush(model.BeginFlush());
        pile.Compact();
        for (int i = 0; i < links / 2; i++)
        {
            byte[] value = CrashValue.NewBytes(random, 200);
            model.Put(model.At(i), value);
            pile.Replace(model.At(i), value);
        }
        var tally = new CutTally();
        KilledPile.Copy(scratch.At("pile"), scratch.At("killed"));
        using (Pile killed = Open(scratch.At("killed"), null, DurabilityTest.FirstBoot))
            model.CheckAll(killed, "the same boot", tally);
        KilledPile.Copy(scratch.At("pile"), scratch.At("other"));
        using (Pile other = Open(scratch.At("other"), null, DurabilityTest.NextBoot))
            model.CheckCut(other, "another boot", tally);
        Assert.True(tally.IsClean, tally.ToString());
    }

    /// <summary>The file is there, and has its length; that it has its name on the disk as well nobody has been told.</summary>
    [Fact]
    public void A_log_whose_name_the_device_refused_is_not_relied_on_before_the_name_is_durable()
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(5);
        var disk = new SimulatedDisk(scratch.At("pile"), random);
        using Pile pile = Open(scratch.At("pile"), disk);
        PilePointer linked = pile.Put("makes a segment");
        pile.Flush();
        pile.Replace(linked, "and is moved, which the log has to say");
        for (int i = 0; i < 100; i++)
            pile.Put(CrashValue.NewBytes(random, 50_000)); // too much for the log: a checkpoint begins the other one
        disk.Refuses = static name => name == null;
        Assert.Throws<PileStorageException>(() => pile.Flush());
        disk.Refuses = null;
        pile.Flush();
        PilePointer pointer = pile.Put("flushed");
        pile.Flush();
        disk.Cut(scratch.At("image"), CutKind.Nothing);
        using Pile image = Open(scratch.At("image"), null);
        Assert.True(image.TryGet(pointer, out string? found));
        Assert.Equal("flushed", found);
    }

    private static void Fill(Pile pile, CrashModel model, Random random, bool asLinks)
    {
        for (int i = 0; i < Objects; i++)
        {
            byte[] value = CrashValue.NewBytes(random, 20 + i * i / 3);
            model.Put(pile.Put(value), value);
        }
        if (asLinks)
            ReplaceAll(pile, model, random, static size => size * 2 + 64);
    }

    private static void Change(Pile pile, CrashModel model, Random random, string change)
    {
        switch (change)
        {
            case "same size":
                ReplaceAll(pile, model, random, static size => size);
                break;
            case "smaller":
            case "link to smaller":
                ReplaceAll(pile, model, random, static size => size / 3);
                break;
            case "larger":
                ReplaceAll(pile, model, random, static size => size * 2 + 64);
                break;
            case "larger twice":
                ReplaceAll(pile, model, random, static size => size * 2 + 64);
                ReplaceAll(pile, model, random, static size => size + 200);
                break;
            case "compact link":
                pile.Compact();
                break;
            case "compact and replace link":
                pile.Compact();
                ReplaceAll(pile, model, random, static size => size + 50);
                break;
            case "part":
                WriteIntoAll(pile, model, random);
                break;
            default:
                for (int i = model.Count - 1; i >= 0; i -= 2)
                    Delete(pile, model, i);
                break;
        }
        for (int i = 0; i < Objects; i++) // what was freed serves others
        {
            byte[] value = CrashValue.NewBytes(random, i * 20);
            model.Put(pile.Put(value), value);
        }
    }

    private static void ReplaceAll(Pile pile, CrashModel model, Random random, Func<int, int> sizeOf)
    {
        for (int i = 0; i < Objects; i++)
        {
            PilePointer pointer = model.At(i);
            byte[] value = CrashValue.NewBytes(random, sizeOf(CrashValue.SizeOf(model.Now[pointer])));
            model.Put(pointer, value);
            pile.Replace(pointer, value);
        }
    }

    private static void WriteIntoAll(Pile pile, CrashModel model, Random random)
    {
        for (int i = 0; i < Objects; i++)
        {
            PilePointer pointer = model.At(i);
            byte[] value = [.. (byte[])model.Now[pointer]];
            Noise.Fill(value.AsSpan(value.Length / 2), random.NextInt64());
            model.Put(pointer, value);
            pile.Write(pointer, value.AsSpan(value.Length / 2), value.Length / 2);
        }
    }

    private static void Delete(Pile pile, CrashModel model, int index)
    {
        PilePointer pointer = model.At(index);
        model.Delete(index);
        pile.Delete(pointer);
    }

    private static Pile Open(string directory, SimulatedDisk? disk, Guid? boot = null) => Pile.Open(
        directory,
        new PileOptions
        {
            SegmentBytes = DurabilityTest.SegmentBytes,
            FlushLogBytes = 4 << 20,
            BootId = boot ?? Guid.NewGuid(),
            FileHook = disk,
        });
}
