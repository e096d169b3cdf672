using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>Who follows a kill waits for the device only where it may not have what he relies on.</summary>
public sealed class SyncRecordTests : DurabilityTest
{
    [Fact]
    public void Behind_a_kill_nothing_is_written_through_that_the_device_has()
    {
        PilePointer pointer = Work(static _ => { });
        Assert.Empty(WriteThroughs(OtherPath, pointer));
        KilledPile.Copy(OtherPath, ImagePath); // closed by now
        Assert.NotEmpty(WriteThroughs(ImagePath, pointer));
    }

    /// <summary>Each of these may be on its way to the device, or be known to nobody.</summary>
    [Theory]
    [InlineData("type")]
    [InlineData("superblock")]
    [InlineData("catalog")]
    [InlineData("copied")]
    [InlineData("torn")]
    [InlineData("boot")]
    [InlineData("unknown boot")]
    public void It_is_where_the_device_may_not_have_it(string what)
    {
        PilePointer pointer = Work(pile =>
        {
            if (what == "type")
                pile.Put(new List<int> { 1 });
        });
        switch (what)
        {
            case "superblock" or "catalog":
                WriteAnew(Path.Combine(OtherPath, what));
                break;
            case "copied":
                Directory.Move(OtherPath, ImagePath);
                PileFiles.Copy(ImagePath, OtherPath);
                File.Copy(Path.Combine(ImagePath, DirectoryLock.LockName), Path.Combine(OtherPath, DirectoryLock.LockName));
                break;
            case "torn":
                using (FileStream catalog = File.OpenWrite(Path.Combine(OtherPath, "catalog")))
                {
                    catalog.Position = catalog.Length;
                    catalog.WriteByte(1);
                }
                break;
        }
        Guid? boot = what switch { "boot" => NextBoot, "unknown boot" => Guid.Empty, _ => FirstBoot };
        Assert.NotEmpty(WriteThroughs(OtherPath, pointer, boot));
    }

    /// <summary>An owner that wrote nothing through flushes, and the power is cut.</summary>
    [Fact]
    public void What_is_flushed_by_who_wrote_nothing_through_is_there_after_a_cut()
    {
        var disk = new SimulatedDisk(PilePath, new Random(1));
        PilePointer first, second, third;
        Pile pile = OpenAt(PilePath, FirstBoot, options => options with { FileHook = disk });
        first = pile.Put("first");
        pile.Flush();
        KilledPile.Copy(PilePath, OtherPath);
        disk.MoveTo(OtherPath);
        pile.Dispose();
        var passed = new List<string?>();
        disk.Passing = (name, _) => passed.Add(name);
        using (Pile next = OpenAt(OtherPath, FirstBoot, options => options with { FileHook = disk }))
        {
            Assert.Empty(passed);
            second = next.Put("second");
            third = next.Put(new List<int> { 3 });
            next.Flush();
            disk.Cut(ImagePath, CutKind.Nothing);
            disk.Passing = null;
        }
        using Pile left = OpenImage();
        Assert.Equal("first", left.Get<string>(first));
        Assert.Equal("second", left.Get<string>(second));
        Assert.Equal([3], left.Get<List<int>>(third));
        disk.Forget();
    }

    [Fact]
    public void A_note_that_can_t_be_written_costs_a_write_through_and_nothing_else()
    {
        var hook = new SeenOperations { Refuses = static (operation, name) => (operation, name) is (FileOperation.Write, "lock") };
        PilePointer pointer = Work(static _ => { }, hook);
        Assert.True(hook.HasRefused);
        Assert.NotEmpty(WriteThroughs(OtherPath, pointer));
    }

    /// <summary>The generations that it leaves out are made of the superblock's sequence.</summary>
    [Fact]
    public void Each_owner_behind_a_power_cut_leaves_out_generations_of_its_own()
    {
        PilePointer pointer = Work(static _ => { });
        string at = OtherPath;
        var sequences = new List<long>();
        for (int life = 0; life < 3; life++)
        {
            string next = at + life;
            using (Pile pile = OpenAt(at, NextBoot, static options => options with { Warmup = PileWarmup.Off }))
            {
                sequences.Add(Superblocks.Read(at).Sequence);
                KilledPile.Copy(at, next); // before all pages are examined
            }
            at = next;
        }
        Assert.Equal(sequences.Distinct(), sequences);
        using Pile left = OpenAt(at, NextBoot, null);
        Assert.Equal("text", left.Get<string>(pointer));
    }

    /// <summary>Nobody wrote a copy through that a clean opening found.</summary>
    [Fact]
    public void A_clean_opening_writes_through_what_it_will_note()
    {
        PilePointer pointer = Work(static _ => { });
        PileFiles.Copy(PilePath, ImagePath);
        Assert.Contains("catalog", WriteThroughs(ImagePath, pointer));
    }

    [Fact]
    public void A_note_that_can_t_be_read_is_none()
    {
        PilePointer pointer = Work(static _ => { });
        var hook = new SeenOperations { Refuses = static (operation, name) => (operation, name) is (FileOperation.Read, "lock") };
        using Pile pile = OpenAt(OtherPath, FirstBoot, options => options with { FileHook = hook });
        Assert.True(hook.HasRefused);
        Assert.NotEmpty(hook.WriteThroughs);
        Assert.Equal("text", pile.Get<string>(pointer));
    }

    /// <summary>The device may have a record that failed, though the file is as long as before.</summary>
    [Fact]
    public void Behind_a_cut_that_the_device_may_not_have_it_is_written_through()
    {
        bool isArmed = false;
        var hook = new SeenOperations
        {
            Refuses = (operation, name) => isArmed && (operation, name) is (FileOperation.Sync, "catalog"),
            Done = (operation, name) =>
            {
                if (isArmed && (operation, name) is (FileOperation.SetLength, "catalog") && !Directory.Exists(OtherPath))
                    KilledPile.Copy(PilePath, OtherPath);
            },
        };
        using Pile pile = OpenAt(PilePath, FirstBoot, options => options with { FileHook = hook });
        PilePointer pointer = pile.Put("text");
        pile.Flush();
        isArmed = true;
        Assert.Throws<PileStorageException>(() => pile.Put(new List<int> { 1 }));
        isArmed = false;
        Assert.Contains("catalog", WriteThroughs(OtherPath, pointer));
    }

    // What a kill of an owner leaves, in OtherPath.
    private PilePointer Work(Action<Pile> behind, IFileHook? hook = null)
    {
        using Pile pile = OpenAt(PilePath, FirstBoot, options => options with { FileHook = hook });
        PilePointer pointer = pile.Put("text");
        pile.Flush(); // states what the catalog has
        behind(pile);
        KilledPile.Copy(PilePath, OtherPath);
        return pointer;
    }

    // As a copy that is restored over it. The clock goes in steps.
    private static void WriteAnew(string path)
    {
        byte[] bytes = File.ReadAllBytes(path);
        FileStatus before = FileStatus.Of(path)!.Value;
        Eventually.True(() =>
        {
            File.WriteAllBytes(path, bytes);
            return FileStatus.Of(path)!.Value.ChangeTime != before.ChangeTime;
        });
    }

    private string[] WriteThroughs(string path, PilePointer pointer, Guid? boot = null)
    {
        var seen = new SeenOperations();
        using Pile pile = OpenAt(path, boot ?? FirstBoot, options => options with { FileHook = seen });
        string[] found = seen.WriteThroughs;
        Assert.Equal("text", pile.Get<string>(pointer));
        return found;
    }
}
