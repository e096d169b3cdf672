using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>Segments and files that nobody needs any more go.</summary>
public sealed class GivenBackTests : DurabilityTest
{
    private const int LengthBytes = 100_000;

    /// <summary>Each segment has one object left, and so was no reason for a trim before it went.</summary>
    [Fact]
    public void The_last_objects_of_many_segments_take_the_segments_along()
    {
        var time = new ManualTime();
        using Pile pile = Open(options => options with { MaxBytes = 4 * SegmentBytes, TimeProvider = time });
        List<PilePointer> pointers = Fill(pile);
        Assert.InRange(pile.Statistics.SegmentCount, 3, 4);
        List<PilePointer> last =
        [
            .. pointers.GroupBy(static pointer => (long)pointer.Address * SizeClasses.GranuleBytes / SegmentBytes)
                .Select(static group => group.First()),
        ];
        Assert.Equal(pile.Statistics.SegmentCount, last.Count);
        pointers.Except(last).ToList().ForEach(pile.Delete);
        pile.Flush();
        pile.Trim();
        long segments = pile.Statistics.SegmentCount;
        Assert.InRange(segments, 3, 4);
        last.ForEach(pile.Delete);
        pile.Flush();
        time.Advance(TimeSpan.FromSeconds(10)); // it has just grown
        Eventually.True(() => pile.Statistics.SegmentCount == 1);
    }

    /// <summary>A kill between the strike of segments and the removal of their files, or while a segment was made.</summary>
    [Fact]
    public void An_opening_after_a_kill_removes_the_files_of_segments_that_are_not_listed()
    {
        string killed = PilePath + "-killed";
        using (Pile pile = Open(options => options with { MaxBytes = 8 * SegmentBytes }))
        {
            _ = pile.Put("kept");
            KilledPile.Copy(PilePath, killed);
        }
        string[] left = ["segment-000000.new", "segment-000003", "segment-000004.new"];
        string[] others = ["segment-000000.bak", "segment-", "segment-map", "segment-7", "segment-20261130", "segment-0000008.new"];
        foreach (string name in left.Concat(others))
            File.WriteAllBytes(Path.Combine(killed, name), new byte[10_000]);
        using (Pile pile = Pile.Open(killed, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = 8 * SegmentBytes }))
        {
            Assert.All(left, name => Assert.False(File.Exists(Path.Combine(killed, name)), name));
            Assert.All(others, name => Assert.True(File.Exists(Path.Combine(killed, name)), name));
            pile.Recovery.Completion.Wait();
            Assert.Equal(1, pile.Statistics.ObjectCount);
        }
        using Pile again = Pile.Open(killed);
        Assert.True(again.Verify().IsSound);
    }

    [Fact]
    public void What_could_not_be_removed_goes_with_the_next_opening_even_after_a_clean_end()
    {
        bool isRefused = true;
        var hook = new RefusingHook((operation, path) =>
            isRefused && operation == FileOperation.Delete && path.EndsWith("segment-000001", StringComparison.Ordinal)
                ? new IOException("not now") : null);
        using (Pile pile = Open(options => options with { FileHook = hook }))
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 80).Select(_ => pile.Put(new byte[LengthBytes]))];
            pile.Flush();
            Array.ForEach(pointers, pile.Delete);
            pile.Flush();
            pile.Trim(); // what the deletions have not given back
            Assert.Equal(1, pile.Statistics.SegmentCount);
            Assert.Equal(2, Directory.GetFiles(PilePath, "segment-*").Length); // it is in nobody's way
        }
        isRefused = false;
        Assert.True(File.Exists(Path.Combine(PilePath, "segment-000001")));
        using Pile again = Open();
        Assert.True(again.Recovery.WasClean);
        Assert.False(File.Exists(Path.Combine(PilePath, "segment-000001")));
    }

    [Fact]
    public void A_link_is_left_alone_and_so_is_what_it_leads_to()
    {
        string killed = PilePath + "-killed";
        using (Pile pile = Open())
        {
            _ = pile.Put("kept");
            KilledPile.Copy(PilePath, killed);
        }
        File.WriteAllText(OtherPath, "something else");
        string[] links = [Path.Combine(killed, "segment-000001"), Path.Combine(killed, "segment-000002.new")];
        foreach (string link in links)
            _ = File.CreateSymbolicLink(link, OtherPath);
        using (Pile pile = OpenAt(killed, null, null))
        {
            for (int i = 0; i < 2 * SegmentBytes / LengthBytes; i++)
                pile.Put(new byte[LengthBytes]);
        }
        Assert.All(links, link => Assert.Equal(OtherPath, File.ResolveLinkTarget(link, returnFinalTarget: false)?.FullName));
        Assert.Equal("something else", File.ReadAllText(OtherPath));
    }

    /// <summary>Another program, or an operator, made what has a segment's name, or forbids its removal.</summary>
    [Theory]
    [InlineData("directory")]
    [InlineData("unfinished directory")]
    [InlineData("pipe")]
    [InlineData("unfinished pipe")]
    [InlineData("kept file")]
    public void What_is_in_the_way_of_one_number_is_not_in_that_of_others(string what)
    {
        if (what.Contains("pipe", StringComparison.Ordinal) && !OperatingSystem.IsLinux())
            return; // needs mkfifo
        string killed = PilePath + "-killed";
        using (Pile pile = Open())
        {
            _ = pile.Put("kept");
            KilledPile.Copy(PilePath, killed);
        }
        bool isUnfinished = what.StartsWith("unfinished", StringComparison.Ordinal);
        string path = Path.Combine(killed, isUnfinished ? "segment-000001.new" : "segment-000001");
        if (what.Contains("directory", StringComparison.Ordinal))
            Directory.CreateDirectory(path);
        else if (what.Contains("pipe", StringComparison.Ordinal))
            Process.Start("mkfifo", [path]).WaitForExit();
        else
            File.WriteAllBytes(path, new byte[100]);
        var hook = new RefusingHook((operation, at) =>
            what == "kept file" && at == path && operation == FileOperation.Delete ? new IOException("not permitted") : null);
        using (Pile pile = OpenAt(killed, null, options => options with { FileHook = hook }))
        {
            for (int i = 0; i < 2 * SegmentBytes / LengthBytes; i++)
                pile.Put(new byte[LengthBytes]);
            Assert.InRange(pile.Statistics.SegmentCount, 2, 4);
        }
        Assert.True(Path.Exists(path));
        Assert.True(File.Exists(Path.Combine(killed, "segment-000002")));
    }

    /// <summary>The first can't be opened, and of the second the head can't be changed, as the disk is full: the others go.</summary>
    [Fact]
    public void A_file_that_cannot_be_removed_keeps_no_other_one()
    {
        string killed = PilePath + "-killed";
        using (Pile pile = Open())
        {
            _ = pile.Put("kept");
            KilledPile.Copy(PilePath, killed);
        }
        byte[] head = new byte[SizeClasses.PageBytes];
        File.ReadAllBytes(Path.Combine(killed, "segment-000000")).AsSpan(0, SegmentHead.SizeBytes).CopyTo(head);
        head[8] = 3; // the number
        string[] left = [.. new[] { "segment-000002", "segment-000003", "segment-000004" }.Select(name => Path.Combine(killed, name))];
        File.WriteAllBytes(left[0], new byte[100]);
        File.WriteAllBytes(left[1], head);
        File.WriteAllBytes(left[2], new byte[100]);
        using var log = new KeptLog();
        var hook = new RefusingHook((operation, path) =>
        {
            if (path == left[0] && operation == FileOperation.Open)
                return new IOException("not now");
            return path == left[1] && operation == FileOperation.Write ? new IOException("no space left on device", 28) : null;
        });
        using Pile again = OpenAt(killed, null, options => options with { FileHook = hook, Logger = log });
        Assert.True(File.Exists(left[0]));
        Assert.False(File.Exists(left[1]));
        Assert.False(File.Exists(left[2]));
        Assert.Single(log.Lines, line => line.Contains(left[0], StringComparison.Ordinal));
    }

    /// <summary>Somebody puts an older superblock back: the segments since then are all that there is of their objects.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Files_of_unlisted_segments_with_objects_stay(bool wasPowerCut)
    {
        string killed = PilePath + "-killed";
        byte[] older;
        using (Pile pile = Open())
        {
            _ = pile.Put("kept");
            pile.Flush();
            older = File.ReadAllBytes(Path.Combine(PilePath, "superblock"));
            for (int i = 0; i < 2 * SegmentBytes / LengthBytes; i++)
                pile.Put(new byte[LengthBytes]);
            pile.Flush();
            KilledPile.Copy(PilePath, killed);
        }
        File.WriteAllBytes(Path.Combine(killed, "superblock"), older);
        string[] paths = [.. Directory.GetFiles(killed, "segment-*").Where(static path => !path.EndsWith("000000"))];
        Dictionary<string, byte[]> before = paths.ToDictionary(static path => path, File.ReadAllBytes);
        Assert.InRange(paths.Length, 1, 3);
        using var log = new KeptLog();
        using (Pile pile = OpenAt(killed, wasPowerCut ? NextBoot : null, options => options with { Logger = log }))
        {
            for (int i = 0; i < 2 * SegmentBytes / LengthBytes; i++)
                pile.Put(new byte[LengthBytes]);
        }
        Assert.All(before, file => Assert.Equal(file.Value, File.ReadAllBytes(file.Key)));
        string warning = Assert.Single(log.Lines, line => line.Contains(paths.Min()!, StringComparison.Ordinal));
        Assert.Contains("Restore all files", warning, StringComparison.Ordinal);
    }

    /// <summary>After a power cut the device may have the file of a segment that was given back as it was with its objects.</summary>
    [Fact]
    public void A_file_from_before_its_segment_was_given_back_goes()
    {
        string killed = PilePath + "-killed";
        using (Pile pile = Open())
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 80).Select(_ => pile.Put(new byte[LengthBytes]))];
            pile.Flush();
            File.Copy(Path.Combine(PilePath, "segment-000001"), OtherPath);
            Array.ForEach(pointers, pile.Delete);
            pile.Flush();
            pile.Trim();
            Assert.Equal(1, pile.Statistics.SegmentCount);
            KilledPile.Copy(PilePath, killed);
        }
        string left = Path.Combine(killed, "segment-000001");
        File.Copy(OtherPath, left);
        using Pile again = OpenAt(killed, NextBoot, null);
        Assert.False(File.Exists(left));
    }

    private static List<PilePointer> Fill(Pile pile)
    {
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => FillUp(pile, pointers));
        return pointers;
    }

    private static void FillUp(Pile pile, List<PilePointer> pointers)
    {
        while (true)
            pointers.Add(pile.Put(new byte[LengthBytes]));
    }
}
