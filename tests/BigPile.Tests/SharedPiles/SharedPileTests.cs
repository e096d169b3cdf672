using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Tests.SharedPiles;

/// <summary>What a shared pile is, where it is, who may open it, and how it goes.</summary>
[SupportedOSPlatform("linux")]
public sealed class SharedPileTests : SharedPileTest
{
    private const UnixFileMode OfOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    [Fact]
    public void A_name_is_a_pile_in_memory_that_no_other_user_can_look_into()
    {
        string name = "test-" + Guid.NewGuid().ToString("N");
        string path = $"/dev/shm/bigpile-{Environment.UserName}/{name}.pile";
        PilePointer pointer;
        using (Pile writer = Pile.Open(name, Options))
        {
            Assert.Equal((path, name, StoreKind.Mapped), (writer.DirectoryPath, writer.Name, writer.Store));
            pointer = writer.Put("text");
            Assert.Equal(OfOwner | UnixFileMode.UserExecute, File.GetUnixFileMode(path));
            Assert.All(Directory.GetFiles(path), static file => Assert.Equal(OfOwner, File.GetUnixFileMode(file)));
            foreach (string file in Directory.GetFiles(path, "segment-*").Append(Path.Combine(path, "stripes")))
            {
                long leastBytes = Math.Min(1 << 20, new FileInfo(file).Length); // of a segment more by need
                Assert.True(FileStatus.Of(file)!.Value.AllocatedBytes >= leastBytes, $"{file} has holes");
            }
            using Pile reader = Pile.Open(name, ReaderOptions);
            Assert.Equal("text", reader.Get<string>(pointer));
        }
        using (Pile again = Pile.Open(name, Options))
            Assert.Equal("text", again.Get<string>(pointer));
        Assert.True(SharedPile.TryRemove(name));
        Assert.False(Directory.Exists(path));
        Assert.False(SharedPile.TryRemove(name));
    }

    [Fact]
    public void What_was_put_survives_a_kill_and_nothing_waits_for_a_flush()
    {
        using Pile writer = Open();
        PilePointer kept = writer.Put(new byte[1_000]);
        PilePointer replaced = writer.Put("old");
        writer.Flush();
        writer.Replace(replaced, "new");
        writer.Replace(kept, new byte[70_000]);
        writer.Delete(writer.Put("gone"));
        Assert.Equal(0, writer.Engine.PendingFreeBytes);
        Assert.Empty(Directory.GetFiles(PilePath, "log-*"));
        Assert.False(File.Exists(Path.Combine(PilePath, "moved")));
        using Pile next = Pile.Open(CopyKilled("killed"), Options);
        Assert.False(next.Recovery.WasClean);
        Assert.Equal("new", next.Get<string>(replaced));
        Assert.Equal(70_000, next.SizeOf(kept));
        Assert.Equal(2, next.Count());
        Assert.True(next.Verify().IsSound);
    }

    /// <summary>Of what was never flushed nothing may be wanted back: what a kill left behind is free at once.</summary>
    [Fact]
    public void What_a_kill_leaves_without_an_owner_is_free_for_the_next_writer()
    {
        PilePointer gone;
        using (Pile writer = Open())
        {
            gone = writer.Put("short");
            writer.Replace(gone, new byte[5_000]);
            writer.Replace(writer.Put("the page stays in use"), "so it does");
            CopyKilled("killed");
        }
        string copy = Path.Combine(RootPath, "killed");
        using (var segment = new FileStream(Path.Combine(copy, "segment-000000"), FileMode.Open, FileAccess.ReadWrite))
        {
            segment.Position = (long)gone.Address * 8;
            segment.Write(BitConverter.GetBytes(BlockHeader.Free(gone.Generation + 1).Word)); // a deletion that was cut off
        }
        using (Pile next = Pile.Open(copy, Options))
        {
            Assert.True(next.Verify().IsSound);
            Assert.Single(next);
            Assert.Equal(0, next.Engine.PendingFreeBytes);
        }
        using Pile last = Pile.Open(copy, Options);
        Assert.True(last.Recovery.WasClean);
    }

    [Fact]
    public void One_process_writes_and_a_second_one_is_told_so()
    {
        using Pile writer = Open();
        string message = Assert.Throws<PileStorageException>(() => Open()).Message;
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
        Assert.Contains($"process {Environment.ProcessId}", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pile_is_what_it_was_made_as()
    {
        Open().Dispose();
        AssertRefused("made with PileOptions.Shared", () => Pile.Open(PilePath));
        using (Pile reader = Pile.Open(PilePath, new PileOptions { ReadOnly = true }))
            Assert.Empty(reader);
        string other = Path.Combine(RootPath, "mapped");
        Directory.CreateDirectory(other, OfOwner | UnixFileMode.UserExecute);
        Pile.Open(other, new PileOptions { SegmentBytes = SegmentBytes }).Dispose();
        AssertRefused("made without PileOptions.Shared", () => Pile.Open(other, Options));
        AssertRefused("made without PileOptions.Shared", () => SharedPile.TryRemove(other));
        Pile.Open(other).Dispose();
    }

    [Fact]
    public void After_a_new_start_of_the_machine_it_is_refused_and_can_be_removed()
    {
        PileOptions next = Options with { BootId = Guid.NewGuid() };
        using (Pile writer = Open())
            writer.Put("text");
        AssertRefused("rebooted", () => Pile.Open(PilePath, next));
        AssertRefused("rebooted", () => Pile.Open(PilePath, next with { ReadOnly = true }));
        Assert.True(SharedPile.TryRemove(PilePath));
        using Pile anew = Pile.Open(PilePath, next);
        Assert.Empty(anew);
    }

    [Fact]
    public void A_directory_that_others_have_rights_to_is_refused()
    {
        Directory.CreateDirectory(PilePath);
        File.SetUnixFileMode(PilePath, OfOwner | UnixFileMode.UserExecute | UnixFileMode.OtherRead);
        AssertRefused("other users have rights", () => Open());
        AssertRefused("other users have rights", () => OpenReader());
        string link = Path.Combine(RootPath, "link");
        File.SetUnixFileMode(PilePath, OfOwner | UnixFileMode.UserExecute);
        Directory.CreateSymbolicLink(link, PilePath);
        AssertRefused("it is a link", () => Pile.Open(link, Options));
    }

    [Theory]
    [InlineData(".hidden")]
    [InlineData("a b")]
    [InlineData("")]
    [InlineData("a-name-that-is-longer-than-the-sixty-four-letters-that-one-may-have")]
    public void Names_are_plain(string name) => Assert.ThrowsAny<ArgumentException>(() => Pile.Open(name, Options));

    [Fact]
    public void Options_that_make_no_sense_together_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new Pile(new PileOptions { Shared = true }));
        Assert.Throws<ArgumentException>(() => Pile.Open(PilePath, Options with { FlushInterval = TimeSpan.FromSeconds(1) }));
    }

    [Fact]
    public void Checksums_are_for_those_who_ask_for_them()
    {
        using (Pile writer = Open())
            Assert.False(writer.Verify().HasChecksums);
        Assert.True(SharedPile.TryRemove(PilePath));
        using Pile checking = Pile.Open(PilePath, Options with { Checksums = PileChecksums.AtEveryRead });
        PilePointer pointer = checking.Put(new byte[1_000]);
        Assert.True(checking.Verify().HasChecksums);
        using Pile reader = OpenReader();
        Damage(pointer);
        Assert.Throws<PileStorageException>(() => reader.GetBytes(pointer));
        Assert.Throws<PileStorageException>(() => checking.GetBytes(pointer));
    }

    [Fact]
    public void It_is_not_removed_under_its_writer()
    {
        using (Pile writer = Open())
        {
            PilePointer pointer = writer.Put("text");
            AssertRefused("in use by process", () => SharedPile.TryRemove(PilePath));
            Assert.Equal("text", writer.Get<string>(pointer));
        }
        File.WriteAllText(Path.Combine(PilePath, "notes"), "another's");
        Assert.True(SharedPile.TryRemove(PilePath));
        Assert.Equal(["notes"], Directory.GetFiles(PilePath).Select(Path.GetFileName));
    }

    [Fact]
    public void A_directory_of_something_else_is_left_alone()
    {
        string[] names = ["index.html", "users", "use", "lock", "owner", "segment-list", "index"];
        Array.ForEach(names, name => File.WriteAllText(Path.Combine(RootPath, name), "another's"));
        Assert.False(SharedPile.TryRemove(RootPath));
        Assert.Equal(names.Order(), Directory.GetFiles(RootPath).Select(static path => Path.GetFileName(path)).Order());
    }

    /// <summary>A removal that is cut off after any of its files leaves what can be removed, or made anew.</summary>
    [Fact]
    public void A_removal_that_was_cut_off_is_ended_by_the_next()
    {
        using (Pile writer = Open())
            writer.Put("text");
        var order = new List<string>(Directory.GetFiles(PilePath).Select(static path => Path.GetFileName(path)));
        order.Sort(static (one, other) => Rank(one).CompareTo(Rank(other)));
        for (int removed = 1; removed < order.Count; removed++)
        {
            string copy = CopyKilled("cut-" + removed);
            File.WriteAllText(Path.Combine(copy, "lock"), "");
            foreach (string name in order.Take(removed))
                File.Delete(Path.Combine(copy, name));
            SharedPile.TryRemove(copy);
            Assert.False(Directory.Exists(copy));
        }
    }

    private static int Rank(string name) => name switch { "lock" => 2, "superblock" => 1, _ => 0 };

    private void Damage(PilePointer pointer)
    {
        string path = Path.Combine(PilePath, "segment-000000");
        using var segment = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        segment.Position = (long)pointer.Address * 8 + 100;
        segment.WriteByte(0x55);
    }

    private static void AssertRefused(string part, Action action) =>
        Assert.Contains(part, Assert.Throws<PileStorageException>(action).Message, StringComparison.Ordinal);
}
