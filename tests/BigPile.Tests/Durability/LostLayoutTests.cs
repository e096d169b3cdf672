using System;
using BigPile.Tests.Durability.PowerCuts;

namespace BigPile.Tests.Durability;

/// <summary>Pages that were laid out, and whose layout a power cut took.</summary>
public sealed class LostLayoutTests
{
    /// <summary>Slots of two sizes, one that fills its page to the end, and a run.</summary>
    [Theory]
    [InlineData(100)]
    [InlineData(5_000)]
    [InlineData(32_760)]
    [InlineData(50_000)]
    [InlineData(200_000)]
    public void What_lay_in_a_lost_layout_does_not_come_back_with_the_next_one(int lengthBytes)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(3);
        byte[] lost = CrashValue.NewBytes(random, lengthBytes);
        var disk = new SimulatedDisk(scratch.At("pile"), random);
        using (Pile before = Open(scratch.At("pile"), disk))
            before.Put("makes a segment");
        using (Pile pile = Open(scratch.At("pile"), disk)) // its pages begin where those of the next life will
        {
            pile.Put(lost);
            disk.Cut(scratch.At("cut"), CutKind.AllButPageWords);
        }
        var diskAfter = new SimulatedDisk(scratch.At("cut"), random);
        using Pile after = Open(scratch.At("cut"), diskAfter);
        after.Flush();
        after.Put(CrashValue.NewBytes(random, lengthBytes));
        diskAfter.Cut(scratch.At("again"), CutKind.PageWords);
        using Pile again = Open(scratch.At("again"), null);
        Assert.DoesNotContain(again, entry => again.Get(entry.Pointer) is byte[] found && found.AsSpan().SequenceEqual(lost));
    }

    private static Pile Open(string directory, SimulatedDisk? disk) => Pile.Open(
        directory,
        new PileOptions { SegmentBytes = DurabilityTest.SegmentBytes, FlushLogBytes = 4 << 20, BootId = Guid.NewGuid(), FileHook = disk });
}
