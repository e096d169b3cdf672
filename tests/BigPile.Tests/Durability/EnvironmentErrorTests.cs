using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>What is wrong around a pile is said by one exception that names the file and the remedy.</summary>
public sealed class EnvironmentErrorTests : DurabilityTest
{
    private const int Megabyte = 1 << 20;

    /// <summary>A full disk, at growth and beside a flush: nothing is lost, and the pile goes on when there is room again.</summary>
    [SmallDiskFact]
    public void A_full_disk_is_said_and_survived()
    {
        using var disk = new SmallDisk(Path.Combine(OtherPath, "disk"), 27 * Megabyte);
        string path = Path.Combine(disk.Path, "pile");
        string ballast = Path.Combine(disk.Path, "ballast");
        var live = new Dictionary<PilePointer, byte[]>();
        using (Pile pile = Pile.Open(path, new PileOptions { SegmentBytes = SegmentBytes, FlushLogBytes = Megabyte }))
        {
            PileFullException full = Assert.Throws<PileFullException>(() => Fill(pile, live));
            Assert.Contains($"{pile.Statistics.ReservedBytes:N0} bytes are reserved", full.Message, StringComparison.Ordinal);
            Assert.IsAssignableFrom<IOException>(full.InnerException);
            Check(pile, live);
            File.WriteAllBytes(ballast, new byte[disk.FreeBytes]);
            pile.Flush(); // needs none of it
            Check(pile, live);
            PilePointer some = live.Keys.First();
            pile.Delete(some);
            live.Remove(some);
            live[pile.Put([1])] = [1];
            File.Delete(ballast);
            pile.Flush();
            Check(pile, live);
        }
        using Pile again = Pile.Open(path, new PileOptions { FlushLogBytes = Megabyte });
        again.Recovery.Completion.Wait();
        Assert.Equal((true, 0), (again.Recovery.WasClean, again.Recovery.FaultCount));
        Check(again, live);
    }

    /// <summary>The device fails when a segment is to be listed; the pile stays as it was, and grows later.</summary>
    [Fact]
    public void A_device_that_fails_at_growth_makes_the_pile_full()
    {
        bool fails = false;
        using Pile pile = Open(options => options with { Synced = path =>
        {
            if (fails && Path.GetFileName(path).StartsWith("segment", StringComparison.Ordinal))
                throw new IOException("the device failed");
        } });
        var live = new Dictionary<PilePointer, byte[]>();
        live[pile.Put([1])] = [1];
        fails = true;
        Assert.Contains("the device failed", Assert.Throws<PileFullException>(() => Fill(pile, live)).Message, StringComparison.Ordinal);
        Check(pile, live);
        fails = false;
        for (int i = 0; i < 100; i++)
        {
            byte[] value = CheckedValue.Make(i, 5, 100_000);
            live[pile.Put(value)] = value;
        }
        Check(pile, live);
    }

    [Fact]
    public void A_missing_directory_is_refused_when_none_is_to_be_made()
    {
        string message = Assert.Throws<PileStorageException>(
            () => Open(static options => options with { CreateDirectory = false })).Message;
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(PilePath));
        Assert.Contains(PilePath, Assert.Throws<PileStorageException>(
            () => Open(static options => options with { ReadOnly = true })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_superblock_that_is_empty_is_no_pile_to_read()
    {
        Directory.CreateDirectory(PilePath);
        File.WriteAllBytes(Path.Combine(PilePath, "superblock"), []);
        Assert.Contains("There is no pile", Assert.Throws<PileStorageException>(
            () => Open(static options => options with { ReadOnly = true })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pile_of_another_page_size_is_refused()
    {
        Open().Dispose();
        var state = new SuperblockState { PageBytes = 16_384, SegmentBytes = SegmentBytes, IsClean = true, Sequence = 1_000 };
        Superblocks.Write(PilePath, state);
        string message = Assert.Throws<PileStorageException>(() => Open()).Message;
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
        Assert.Contains("16,384", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_catalog_of_a_closed_pile_is_refused()
    {
        using (Pile pile = Open())
            pile.Put(new List<int> { 1 });
        string catalog = Path.Combine(PilePath, "catalog");
        File.Delete(catalog);
        Assert.Contains(catalog, Assert.Throws<PileStorageException>(() => Open()).Message, StringComparison.Ordinal);
    }

    /// <summary>Redo records and logs of another size than usual hold nothing that a closed pile needs, and are made anew.</summary>
    [Theory]
    [InlineData("redo", 100)]
    [InlineData("redo", 0)]
    [InlineData("log-0", 77)]
    [InlineData("log-1", 77)]
    public void Redo_records_and_logs_of_a_wrong_size_are_made_anew(string name, int lengthBytes)
    {
        PilePointer pointer;
        using (Pile pile = Open())
            pointer = pile.Put("text");
        File.WriteAllBytes(Path.Combine(PilePath, name), new byte[lengthBytes]);
        using Pile again = Open();
        Assert.Equal("text", again.Get(pointer));
        for (int i = 0; i < 3; i++)
        {
            again.Replace(pointer, "later " + i);
            again.Flush();
        }
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.Equal("later 2", image.Get(pointer));
    }

    [Fact]
    public void A_payload_that_is_damaged_in_memory_is_not_served_when_each_read_is_checked()
    {
        using Pile pile = Open(static options => options with { Checksums = PileChecksums.AtEveryRead });
        PilePointer[] pointers = [pile.Put("a short text"), pile.Put(new byte[16]), pile.Put(new byte[100_000]), pile.Put("link")];
        pile.Replace(pointers[3], new byte[5_000]);
        PilePointer sound = pile.Put("sound");
        foreach (PilePointer pointer in pointers)
        {
            _ = pile.Get(pointer);
            Damage(pile, pointer);
            Assert.Contains(PilePath, Assert.Throws<PileStorageException>(() => pile.Get(pointer)).Message, StringComparison.Ordinal);
            Assert.Throws<PileStorageException>(() => pile.Lease(pointer));
        }
        Assert.Equal("sound", pile.Get(sound));
    }

    [Fact]
    public void The_verification_of_a_directory_changes_no_file()
    {
        var live = new Dictionary<PilePointer, byte[]>();
        using (Pile pile = Open())
        {
            for (int i = 0; i < 2_000; i++)
                live[pile.Put(CheckedValue.Make(i, 1, i % 900))] = [];
            KilledPile.Copy(PilePath, ImagePath); // as a kill leaves it
        }
        foreach (string path in new[] { PilePath, ImagePath })
        {
            string[] before = Hashes(path);
            Assert.True(Pile.VerifyDirectory(path).IsSound);
            Assert.Equal(before, Hashes(path));
        }
    }

    /// <summary>Pages are laid out anew, and segments come and go, while everything is verified again and again.</summary>
    [Fact]
    public async Task A_live_pile_under_load_has_no_faults()
    {
        using Pile pile = Open();
        Task[] writers = [.. Enumerable.Range(0, 2).Select(i => SideBySide.Start(() => Load(pile, TestLeg.Seed(71) + i)))];
        int verifications = 0;
        while (!Array.TrueForAll(writers, static task => task.IsCompleted) || verifications == 0)
        {
            PileVerification found = pile.Verify();
            Assert.True(found.IsSound, string.Join("; ", found.Faults));
            verifications++;
        }
        await Task.WhenAll(writers);
    }

    private static void Load(Pile pile, int seed)
    {
        var random = new Random(seed);
        for (int round = 0; round < TestLeg.Steps(60, 3_000); round++)
        {
            int lengthBytes = random.Next(4) == 0 ? 50_000 : random.Next(8, 3_000);
            PilePointer[] pointers =
                [.. Enumerable.Range(0, 4_000_000 / 2 / lengthBytes / 4 + 1).Select(i => pile.Put(new byte[lengthBytes]))];
            foreach (PilePointer pointer in pointers.Where(_ => random.Next(3) == 0))
                pile.Replace(pointer, new byte[random.Next(lengthBytes * 2)]);
            Array.ForEach(pointers, pile.Delete);
            if (random.Next(3) == 0)
                pile.Trim();
        }
    }

    private static unsafe void Damage(Pile pile, PilePointer pointer)
    {
        byte* block = pile.Blocks.Map.Find(pointer.Address, out _);
        var header = new BlockHeader(*(ulong*)block);
        if (header.Kind == BlockKind.Link)
            block = pile.Blocks.Map.Find(header.TargetAddress, out _);
        block[BlockHeader.SizeBytes + 11] ^= 0x10;
    }

    private static string[] Hashes(string path) =>
        [.. Directory.GetFiles(path).Order().Select(
            static file => file + Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(file))))];

    private static void Fill(Pile pile, Dictionary<PilePointer, byte[]> live)
    {
        for (int i = 0; i < 1_000; i++)
        {
            byte[] value = CheckedValue.Make(i, 1, 100_000);
            live[pile.Put(value)] = value;
        }
    }

    private static void Check(Pile pile, Dictionary<PilePointer, byte[]> live)
    {
        Assert.Equal(live.Count, pile.Statistics.ObjectCount);
        foreach ((PilePointer pointer, byte[] value) in live)
            Assert.True(pile.GetBytes(pointer).AsSpan().SequenceEqual(value), $"{pointer} is not what was put");
    }
}
