using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>What was flushed is there after a power cut, whatever was done, or failed, before and behind the flush.</summary>
public sealed class FlushFaultTests : DurabilityTest
{
    /// <summary>
    /// No power cut is needed: the process is killed, every store is there, and the log is replayed as the machine was started anew.
    /// </summary>
    [Fact]
    public void Links_that_were_moved_behind_a_flush_are_there_after_a_kill_and_another_start()
    {
        using Pile pile = Open();
        PilePointer[] links = [.. Enumerable.Range(0, 2_000).Select(i => pile.Put("short " + i))];
        for (int i = 0; i < links.Length; i++)
            pile.Replace(links[i], LongValue(i));
        pile.Flush();
        _ = pile.Compact();
        for (int i = 0; i < links.Length / 2; i++)
            pile.Replace(links[i], LongValue(i + 10_000));
        Files.Build(ImagePath, static (_, _) => true);
        using Pile image = OpenImage();
        for (int i = 0; i < links.Length; i++)
        {
            Assert.True(image.TryGet(links[i], out string? found), $"object {i} is gone");
            Assert.True(found == LongValue(i) || (i < links.Length / 2 && found == LongValue(i + 10_000)), $"object {i} is another");
        }
        image.Recovery.Completion.Wait();
        Assert.True(image.Recovery.FaultCount == 0, string.Join("; ", image.Recovery.Faults.Take(5)));
    }

    /// <summary>
    /// The examiner hands a page to the allocator first and tells readers behind that; the pause between the two is set by hand.
    /// </summary>
    [Fact]
    public unsafe void A_put_into_a_page_that_readers_do_not_know_yet_is_flushed()
    {
        using (Pile first = Open())
            _ = Enumerable.Range(0, 100).Select(i => first.Put("before " + i)).ToArray();
        using Pile pile = Open();
        pile.Recovery.Completion.Wait();
        PilePointer pointer = pile.Put("after");
        _ = pile.Blocks.Map.Find(pointer.Address, out PageInfo* info);
        PageInfo known = *info;
        *info = PageInfo.Unrecovered;
        pile.Flush();
        *info = known;
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.Equal("after", image.Get(pointer));
    }

    /// <summary>A checkpoint whose superblock can't be written leaves the old log in force, until the superblock says otherwise.</summary>
    [Fact]
    public void After_a_superblock_that_failed_the_log_that_counts_is_not_written_over()
    {
        string? failing = null;
        string? cutAt = null;
        bool isCut = false;
        Action? atSegment = null;
        using Pile pile = Open(options => options with
        {
            Syncing = path => FailAt(path, failing),
            Synced = path =>
            {
                Files.Synced(path);
                if (Path.GetFileName(path).StartsWith("segment", StringComparison.Ordinal))
                    Interlocked.Exchange(ref atSegment, null)?.Invoke();
                if (cutAt == null || !Path.GetFileName(path).StartsWith(cutAt, StringComparison.Ordinal))
                    return;
                cutAt = null;
                isCut = true;
                Files.Build(
                    ImagePath, static (name, offset) => name.StartsWith("segment", StringComparison.Ordinal) && offset % 8192 >= 4096);
            },
        });
        PilePointer[] flushed = [.. Enumerable.Range(0, 100).Select(i => pile.Put(Filled(i)))];
        pile.Flush();
        pile.Engine.RequestCheckpoint();
        failing = "superblock";
        Assert.Throws<PileStorageException>(() => pile.Flush());
        failing = null;
        pile.Engine.RequestCheckpoint();
        pile.Replace(flushed[0], new byte[8_000]); // its shadow header is the first batch of the next log
        cutAt = "log";
        atSegment = () => Array.ForEach(flushed, pointer => pile.Replace(pointer, new byte[8_000])); // while the device writes
        pile.Flush();
        Assert.True(isCut);
        using (Pile image = OpenImage())
            AssertOldOrNew(image, flushed);
        Files.Build(ImagePath);
        using Pile last = OpenImage();
        AssertOldOrNew(last, flushed);
    }

    private static byte[] Filled(int number) => [.. Enumerable.Repeat((byte)(number + 1), 8_000)];

    private static void AssertOldOrNew(Pile image, PilePointer[] flushed)
    {
        for (int i = 0; i < flushed.Length; i++)
        {
            Assert.True(image.TryGet(flushed[i], out byte[]? found), $"object {i} is gone");
            Assert.True(
                found.AsSpan().SequenceEqual(Filled(i)) || found.AsSpan().SequenceEqual(new byte[8_000]), $"object {i} is a mixture");
        }
    }

    /// <summary>The system takes pages that it failed to write for written: a segment that was refused is made dirty as a whole.</summary>
    [Fact]
    public void A_segment_that_the_device_refused_is_written_anew()
    {
        string? failing = null;
        using Pile pile = Open(options => options with { Syncing = path => FailAt(path, failing) });
        PilePointer pointer = pile.Put("flushed");
        pile.Engine.RequestCheckpoint();
        failing = "segment";
        Assert.Throws<PileStorageException>(() => pile.Flush());
        Assert.Throws<PileStorageException>(() => pile.Flush());
        failing = null;
        long before = pile.Engine.RewrittenBytes;
        pile.Flush();
        Assert.Equal(SegmentBytes, pile.Engine.RewrittenBytes - before);
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.Equal("flushed", image.Get(pointer));
    }

    /// <summary>Each batch has its version limit; the superblock is written for all of them together.</summary>
    [Fact]
    public void Many_small_batches_are_replayed_with_few_writes_through()
    {
        using Pile pile = Open();
        var pointers = new List<PilePointer>();
        for (int i = 0; i < 300; i++)
        {
            pointers.Add(pile.Put("batch " + i));
            for (ulong last = pile.Engine.Versions.Next(); pile.Engine.Versions.Next() < last + (i % 50 == 0 ? 1_100_000UL : 0);)
            {
            }
            pile.Flush();
        }
        Files.Build(ImagePath);
        int superblocks = 0;
        using Pile image =
            OpenImage(options => options with
            {
                Synced = path => superblocks += path.EndsWith("superblock", StringComparison.Ordinal) ? 1 : 0,
            });
        Assert.InRange(superblocks, 1, 2);
        Assert.All(pointers.Select((pointer, i) => (pointer, i)), pair => Assert.Equal("batch " + pair.i, image.Get(pair.pointer)));
    }

    private static void FailAt(string path, string? failing)
    {
        if (failing != null && Path.GetFileName(path).StartsWith(failing, StringComparison.Ordinal))
            throw new IOException($"'{path}' could not be written: input/output error.");
    }

    private static string LongValue(int number) => new((char)('a' + number % 26), 300 + number % 500);
}
