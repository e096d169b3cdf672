using System;
using System.Linq;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A power cut while a flush writes: before and after each sync of it.</summary>
public sealed class FlushCutTests(ITestOutputHelper output)
{
    private const int Objects = 60;

    /// <summary>All that one flush makes durable comes together: no image has a part of it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_flush_that_is_cut_leaves_itself_or_the_flush_before(bool isCheckpoint)
    {
        int seed = TestLeg.Seed(17);
        using var scratch = new ScratchDirectory();
        var disk = new SimulatedDisk(scratch.At("pile"), new Random(seed));
        using Pile pile = Open(scratch.At("pile"), disk);
        PilePointer[] pointers = [.. Enumerable.Range(0, Objects).Select(i => pile.Put(Text("old", i)))];
        pile.Flush();
        for (int i = 0; i < Objects; i++)
            pile.Replace(pointers[i], Text("new", i));
        if (isCheckpoint) // more than the log takes
            pile.Put(Noise.Of(2 << 20, seed));
        CutKind[] kinds = [.. Enum.GetValues<CutKind>().Where(static kind => kind != CutKind.End)];
        var random = new Random(seed);
        int leftBefore = 0, leftItself = 0;
        disk.Passing = (name, isDone) =>
        {
            // A checkpoint syncs many files: there the short leg takes one kind at each.
            foreach (CutKind kind in TestLeg.IsLong || !isCheckpoint ? kinds : [kinds[random.Next(kinds.Length)]])
            {
                disk.Cut(scratch.At("image"), kind);
                using Pile image = Open(scratch.At("image"), null);
                string state = image.Get<string>(pointers[0])[..3];
                string where = $"seed {seed}, cut {(isDone ? "after" : "before")} the sync of {name ?? "the directory"}, {kind} reached";
                for (int i = 0; i < Objects; i++)
                    Assert.True(image.Get<string>(pointers[i]) == Text(state, i), $"{where}: object {i}");
                if (state == "old")
                    leftBefore++;
                else
                    leftItself++;
            }
        };
        pile.Flush();
        disk.Passing = null;
        output.WriteLine($"seed {seed}: {leftBefore} cuts left the flush before, {leftItself} the one that was cut");
        Assert.InRange(leftBefore, 1, int.MaxValue);
        Assert.InRange(leftItself, 1, int.MaxValue);
        Assert.NotEqual(0, disk.LostCount);
        disk.Cut(scratch.At("image"), CutKind.Nothing);
        using Pile last = Open(scratch.At("image"), null);
        Assert.Equal(Text("new", 0), last.Get(pointers[0]));
    }

    private static string Text(string state, int number) => $"{state} {number} {new string('x', number * 20)}";

    private static Pile Open(string path, IFileHook? disk) =>
        Pile.Open(path, new PileOptions { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, FileHook = disk, BootId = Guid.NewGuid() });
}
