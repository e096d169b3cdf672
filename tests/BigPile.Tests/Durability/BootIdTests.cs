using System;
using System.IO;
using System.Linq;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>What a pile does by the number of the machine's start: the real one, another one, and none.</summary>
public sealed class BootIdTests : DurabilityTest
{
    [Fact]
    public void A_system_that_numbers_its_starts_is_asked()
    {
        bool isTold = !OperatingSystem.IsLinux() || File.Exists("/proc/sys/kernel/random/boot_id");
        Assert.Equal(isTold, BootClock.Current != Guid.Empty);
        Assert.True(BootClock.IsSame(BootClock.Current, BootClock.Current) == isTold);
    }

    [Fact]
    public void An_unknown_start_is_the_same_as_no_other()
    {
        Assert.False(BootClock.IsSame(Guid.Empty, Guid.Empty));
        Assert.False(BootClock.IsSame(Guid.Empty, FirstBoot));
        Assert.False(BootClock.IsSame(FirstBoot, NextBoot));
    }

    [Fact]
    public void A_kill_is_known_as_one_by_the_real_number()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put("never flushed");
        using Pile killed = OpenKilled();
        Assert.Equal((false, false), (killed.Recovery.WasClean, killed.Recovery.WasPowerCut));
        Assert.Equal("never flushed", killed.Get(pointer));
    }

    /// <summary>What is flushed goes to the log, and comes from there when nothing else has reached the device.</summary>
    [Fact]
    public void Where_the_start_is_unknown_the_log_is_replayed()
    {
        using Pile pile = Open(static options => options with { BootId = Guid.Empty });
        pile.Flush();
        PilePointer[] pointers = [.. Enumerable.Range(0, 3).Select(i => pile.Put("value " + i))];
        pile.Flush();
        Files.Build(ImagePath);
        using Pile image = OpenImage(static options => options with { BootId = Guid.Empty });
        Assert.True(image.Recovery.WasPowerCut);
        Assert.Equal(3, image.Recovery.RestoredCount);
        Assert.All(pointers.Index(), pair => Assert.Equal("value " + pair.Index, image.Get(pair.Item)));
    }

    /// <summary>
    /// A redo record is never written through: after a power cut a stale one may be found. Where nobody knows, it is one.
    /// </summary>
    [Fact]
    public void Where_the_start_is_unknown_no_redo_record_is_applied()
    {
        using Pile pile = Open(static options => options with { BootId = Guid.Empty });
        PilePointer pointer = pile.Put("flushed");
        pile.Flush();
        KilledPile.Copy(PilePath, ImagePath);
        WriteRedo(Path.Combine(ImagePath, "redo"), pointer, "a stale"u8);
        using (Pile image = OpenImage(static options => options with { BootId = Guid.Empty }))
            Assert.Equal("flushed", image.Get(pointer));
        KilledPile.Copy(PilePath, OtherPath);
        WriteRedo(Path.Combine(OtherPath, "redo"), pointer, "a stale"u8);
        Superblocks.Change(OtherPath, static state => state.BootId = BootClock.Current);
        using Pile known = Pile.Open(OtherPath);
        Assert.Equal("a stale", known.Get(pointer)); // as after a kill in the middle: so the record above was one that counts
    }

    private static void WriteRedo(string path, PilePointer pointer, ReadOnlySpan<byte> bytes)
    {
        using var file = new FileStream(path, FileMode.Open);
        file.Write(BitConverter.GetBytes(pointer.Address | 1UL << 63));
        file.Write(BitConverter.GetBytes(new BlockHeader(BlockKind.String, pointer.Generation, (ulong)bytes.Length).Word));
        file.Write(BitConverter.GetBytes((ulong)bytes.Length << 32));
        file.Position = 64;
        file.Write(bytes);
    }
}
