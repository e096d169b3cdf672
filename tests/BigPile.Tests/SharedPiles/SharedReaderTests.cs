using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using BigPile.Durability;
using BigPile.Tests.Durability;

namespace BigPile.Tests.SharedPiles;

/// <summary>Who reads a shared pile beside its writer, after its death, and after its removal.</summary>
[SupportedOSPlatform("linux")]
public sealed class SharedReaderTests : SharedPileTest
{
    [Fact]
    public void Everything_that_a_writer_does_is_seen()
    {
        using Pile writer = Open();
        PilePointer text = writer.Put("text");
        using Pile reader = OpenReader();
        PilePointer bytes = writer.Put(new byte[] { 1, 2, 3 });
        PilePointer wide = writer.Put("\ud800 alone");
        PilePointer order = writer.Put(new int[] { 4, 5 });
        PilePointer large = writer.Put(Pattern(9_000_000)); // more than a segment
        Assert.Equal("text", reader.Get(text));
        Assert.Equal([1, 2, 3], reader.GetBytes(bytes));
        Assert.Equal("\ud800 alone", reader.Get(wide));
        Assert.Equal([4, 5], reader.Get<int[]>(order));
        Assert.Equal(Pattern(9_000_000), reader.GetBytes(large));
        writer.Replace(bytes, Pattern(5_000)); // behind a link
        Assert.Equal(Pattern(5_000), reader.GetBytes(bytes));
        writer.Replace(bytes, Pattern(6_000));
        writer.Write(bytes, [9], 5_999);
        Assert.Equal([.. Pattern(6_000)[..^1], 9], reader.GetBytes(bytes));
        writer.Replace(bytes, new byte[] { 7 }); // back
        Assert.Equal([7], reader.GetBytes(bytes));
        Assert.Equal(writer.Select(static entry => entry.Pointer), reader.Select(static entry => entry.Pointer));
        writer.Delete(large);
        writer.Compact();
        Assert.False(reader.TryGet(large, out _));
        Assert.True(reader.Verify().IsSound);
    }

    [Fact]
    public void Statistics_say_how_much_the_writer_uses_and_nothing_of_a_pile_that_was_removed()
    {
        Pile writer = Open();
        using Pile reader = OpenReader();
        writer.Put(Pattern(9_000_000)); // more than a segment
        PilePointer deleted = writer.Put(Pattern(100_000));
        writer.Delete(deleted);
        PileStatistics there = writer.Statistics;
        PileStatistics here = reader.Statistics;
        Assert.Equal((there.ReservedBytes, there.CommittedBytes), (here.ReservedBytes, here.CommittedBytes));
        Assert.Equal((null, here.CommittedBytes), (here.ObjectCount, here.HeaderBytes + here.UnexaminedBytes));
        writer.Dispose();
        Assert.True(SharedPile.TryRemove(PilePath));
        Assert.Equal((0, 0), (reader.Statistics.ReservedBytes, reader.Statistics.CommittedBytes));
    }

    [Fact]
    public void A_slot_that_is_used_again_is_another_object()
    {
        using Pile writer = Open();
        using Pile reader = OpenReader();
        PilePointer old = writer.Put(Pattern(100));
        writer.Put("keeps the page");
        writer.Delete(old);
        PilePointer next = writer.Put(Pattern(99));
        Assert.Equal(old.Address, next.Address);
        Assert.False(reader.TryGet(old, out _));
        Assert.Equal(Pattern(99), reader.GetBytes(next));
    }

    [Fact]
    public void A_reader_refuses_changes_and_leases_with_a_remedy()
    {
        using Pile writer = Open();
        PilePointer pointer = writer.Put("text");
        using Pile reader = OpenReader();
        Assert.Contains("reading only", Assert.Throws<InvalidOperationException>(() => reader.Put("x")).Message, StringComparison.Ordinal);
        string message = Assert.Throws<InvalidOperationException>(() => reader.Lease(pointer)).Message;
        Assert.Contains("Copy the payload", message, StringComparison.Ordinal);
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_a_dead_writer_nothing_is_waited_for_and_of_a_living_one_it_is()
    {
        using Pile reader = OpenHeld(Eventually.Timeout, out PilePointer held, out PilePointer other);
        Assert.Equal("other", reader.Get(other));
        long before = Stopwatch.GetTimestamp();
        Assert.Throws<PileBusyException>(() => reader.Get(held)); // the one who held it is dead
        Assert.True(Stopwatch.GetElapsedTime(before) < Eventually.Timeout);
        using Pile next = Open();
        Assert.Equal("held", reader.Get(held));
        HoldStripe(held);
        var timeout = TimeSpan.FromSeconds(1);
        using Pile impatient = Pile.Open(PilePath, ReaderOptions with { WriterTimeout = timeout });
        before = Stopwatch.GetTimestamp();
        Assert.Throws<PileBusyException>(() => impatient.Get(held));
        Assert.True(Stopwatch.GetElapsedTime(before) >= timeout);
        HoldStripe(held); // even again
    }

    [Fact]
    public void A_reader_goes_on_with_the_next_writer()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put("first");
        using Pile reader = OpenReader();
        for (int i = 0; i < 5; i++)
        {
            using Pile writer = Open();
            writer.Replace(pointer, "by writer " + i);
            Assert.Equal("by writer " + i, reader.Get(pointer));
        }
        Assert.Equal("by writer 4", reader.Get(pointer));
    }

    [Fact]
    public void A_reader_of_a_pile_that_was_removed_is_told_and_keeps_no_memory()
    {
        var time = new ManualTime();
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put("text");
        using Pile reader = Pile.Open(PilePath, ReaderOptions with { TimeProvider = time });
        using Pile reading = OpenReader();
        Assert.True(SharedPile.TryRemove(PilePath));
        Assert.Contains("was removed", Assert.Throws<PileStorageException>(() => reading.Get(pointer)).Message, StringComparison.Ordinal);
        time.Advance(TimeSpan.FromSeconds(1));
        Eventually.True(() => reader.Blocks.Allocator.Pool.DroppedCount == 0);
        Assert.Equal(0, reader.Statistics.SegmentCount);
        using Pile anew = Open();
        anew.Put("another one");
        Assert.Throws<PileStorageException>(() => reader.Get(pointer));
        using Pile late = OpenReader();
        Assert.Single(late);
    }

    /// <summary>Who removes the directory by other means tells nobody: who reads finds out by the clock.</summary>
    [Fact]
    public void A_reader_notices_that_the_directory_is_gone()
    {
        var time = new ManualTime();
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put("text");
        using Pile reader = Pile.Open(PilePath, ReaderOptions with { TimeProvider = time });
        Directory.Delete(PilePath, recursive: true);
        using Pile anew = Open();
        Assert.Equal("text", reader.Get(pointer));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Contains("was removed", Assert.Throws<PileStorageException>(() => reader.Get(pointer)).Message, StringComparison.Ordinal);
    }

    // A writer that was killed in the middle of a replacement, as far as its files say.
    private Pile OpenHeld(TimeSpan timeout, out PilePointer held, out PilePointer other)
    {
        using (Pile writer = Open())
        {
            held = writer.Put("held");
            other = writer.Put(new string('o', 400));
            writer.Replace(other, "other");
        }
        Pile reader = Pile.Open(PilePath, ReaderOptions with { WriterTimeout = timeout });
        HoldStripe(held);
        return reader;
    }

    private void HoldStripe(PilePointer pointer)
    {
        using var file = new FileStream(
            Path.Combine(PilePath, StripeFile.Name), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        var head = new byte[16];
        file.ReadExactly(head);
        file.Position = 128 + (long)((pointer.Address >> 3) & (BitConverter.ToUInt32(head, 8) - 1)) * 64 + 8;
        var words = new byte[16];
        file.ReadExactly(words);
        file.Position -= words.Length;
        file.Write(BitConverter.GetBytes(BitConverter.ToUInt64(words) + 1));
        file.Write(BitConverter.GetBytes(pointer.Address));
    }

    private static byte[] Pattern(int lengthBytes) => Noise.Of(lengthBytes, lengthBytes);
}
