using System;
using System.Linq;
using BigPile.Caching.Clocks;
using BigPile.Caching.Liveness;

namespace BigPile.Caching.Tests.Reads;

/// <summary>The size of the read buffer's sets, and that they are freed.</summary>
public sealed class ReadBufferSizeTests
{
    private readonly CacheClock _clock = new(new ManualTime(), Guid.NewGuid());

    /// <summary>Entries in constant use need no more cells.</summary>
    [Fact]
    public void What_was_taken_is_noted_where_it_was()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        for (int round = 0; round < 10_000; round++)
        {
            Assert.True(RecordUse(buffer, 1) && RecordUse(buffer, 2));
            Assert.Equal(2, BufferRecords.Drain(buffer).Count);
            Assert.Equal((0, 0), (buffer.LastUseOf(1), buffer.Count));
        }
        Assert.Equal((ReadBuffer.MinCells, null), (buffer.Newest.Length, buffer.Newest.Older));
        buffer.RecordEnd(1, 7);
        Assert.Equal((1, 0), (buffer.Count, buffer.LastUseOf(1)));
    }

    /// <summary>Others all the time: a set whose places have all been taken is replaced by one of its length.</summary>
    [Fact]
    public void What_was_taken_does_not_make_a_set_grow()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        for (ulong version = 1; version <= 20_000; version++)
        {
            Assert.True(RecordUse(buffer, version));
            Assert.Single(BufferRecords.Drain(buffer));
            if (version % 100 == 0)
                buffer.EndDrain(peakCount: 1, isDeferred: false);
        }
        Assert.Equal((ReadBuffer.MinCells, null), (buffer.Newest.Length, buffer.Newest.Older));
    }

    [Fact]
    public void Notes_that_could_not_be_done_are_tried_again_once_they_are_twice_as_many()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        for (ulong version = 1; version <= 1_000; version++)
            Assert.True(RecordUse(buffer, version));
        Assert.True(buffer.ShouldDrain);
        buffer.EndDrain(peakCount: 1_000, isDeferred: true);
        Assert.False(buffer.ShouldDrain);
        for (ulong version = 1_001; version <= 4_000; version++)
            Assert.True(RecordUse(buffer, version));
        Assert.True(buffer.ShouldDrain);
    }

    [Fact]
    public void What_finds_no_place_has_the_set_grow_and_it_shrinks_again()
    {
        const int versions = 100_000;
        var buffer = new ReadBuffer();
        for (ulong version = 1; version <= versions; version++)
            Assert.True(RecordUse(buffer, version));
        Assert.Equal(versions, buffer.Count);
        Assert.All(Enumerable.Range(1, versions), version => Assert.Equal(_clock.Now, buffer.LastUseOf((ulong)version)));
        Assert.True(buffer.TryEnterDrain(waits: true));
        Assert.Equal(Enumerable.Range(1, versions), BufferRecords.Drain(buffer).Select(taken => (int)taken.Version).Order());
        buffer.EndDrain(peakCount: versions, isDeferred: false); // there may be as many once more
        Assert.InRange(buffer.Newest.Length, versions, 1 << 20);
        buffer.EndDrain(peakCount: 0, isDeferred: false);
        Assert.Equal((0, ReadBuffer.MinCells, null), (buffer.Count, buffer.Newest.Length, buffer.Newest.Older));
    }

    [Fact]
    public void A_set_that_has_grown_shrinks_though_some_are_noted_all_the_time()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        for (ulong version = 1; version <= 100_000; version++)
            Assert.True(RecordUse(buffer, version));
        _ = BufferRecords.Drain(buffer);
        for (ulong version = 1; version <= 1_000; version++)
            Assert.True(RecordUse(buffer, version));
        buffer.EndDrain(peakCount: 1_000, isDeferred: false); // those stay in the set that goes
        Assert.Equal((4_096, 1_000), (buffer.Newest.Length, buffer.Count));
        Assert.Equal(1_000, BufferRecords.Drain(buffer).Count);
        buffer.EndDrain(peakCount: 0, isDeferred: false);
        Assert.Equal((ReadBuffer.MinCells, null), (buffer.Newest.Length, buffer.Newest.Older));
    }

    /// <summary>A use is recorded in the newest set, so older sets are freed though an entry of theirs is in constant use.</summary>
    [Fact]
    public void A_set_goes_whose_entries_are_used_all_the_time()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        for (ulong version = 1; version <= 100_000; version++)
            Assert.True(RecordUse(buffer, version));
        for (int round = 0; round < 3; round++)
        {
            int most = buffer.Count;
            _ = BufferRecords.Drain(buffer);
            Assert.True(RecordUse(buffer, 1) && RecordUse(buffer, 2));
            buffer.EndDrain(most, isDeferred: false);
        }
        Assert.Equal((ReadBuffer.MinCells, null, 2), (buffer.Newest.Length, buffer.Newest.Older, buffer.Count));
    }

    /// <summary>Growth allocates only the list of parts; parts that do not exist are closed, too.</summary>
    [Fact]
    public void A_large_set_is_made_in_parts()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        var set = new ReadBuffer.Set(1 << 22, older: null);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 1 << 16);
        Assert.Equal(0UL, set.VersionAt(5_000));
        Assert.True(set.TryClaim(1, 7, ways: 2, out int number));
        Assert.True(set.TryClaim(1, 7, ways: 2, out int next));
        Assert.False(set.TryClaim(1, 7, ways: 2, out _));
        Assert.Equal((number + 1, 1UL, 0UL), (next, set.VersionAt(next), set.VersionAt(next + 1)));
        Assert.False(set.TryClose());
        Assert.False(set.TryClaim(1, 7, ways: 16, out _));
        Assert.False(set.TryClaim(2, 7, ways: 16, out _)); // in a part that did not exist
        foreach (int one in (int[])[number, next])
            Assert.True(new ReadBuffer.Record(set, one).TryExchange(ReadBuffer.Record.Pending, ReadBuffer.Record.Drained));
        Assert.True(set.TryClose());
        Assert.False(new ReadBuffer.Record(set, next).TryExchange(ReadBuffer.Record.Drained, ReadBuffer.Record.Pending));
        Assert.Equal(0UL, set.VersionAt(next + 1));
    }

    /// <summary>Also those whose places are at the end of all numbers.</summary>
    [Fact]
    public void Any_version_finds_a_place()
    {
        var buffer = new ReadBuffer();
        int last = 0;
        ulong farthest = 0;
        for (ulong version = 1; version < 50_000_000; version++)
        {
            int first = ReadBuffer.Set.FirstOf(version);
            Assert.False(first < 0);
            if (first > last)
                (last, farthest) = (first, version);
        }
        Assert.InRange(last, (1 << 30) - 1_000, int.MaxValue);
        Assert.True(RecordUse(buffer, farthest));
        Assert.Equal((ReadBuffer.MinCells, _clock.Now), (buffer.Newest.Length, buffer.LastUseOf(farthest)));
    }

    /// <summary>Versions as they are: some in a millisecond, and that again and again at one distance.</summary>
    [Fact]
    public void Versions_that_follow_patterns_do_not_crowd_a_few_places()
    {
        foreach (int milliseconds in (int[])[1, 10, 1_000, 14_400, 28_800, 60_000, 86_400_000, 1 << 12, 1 << 21])
        {
            var buffer = new ReadBuffer();
            ulong version = 1 << 30;
            for (int round = 0; round < 100; round++, version += (ulong)milliseconds << 20)
            {
                for (ulong one = 0; one < 100; one++)
                    Assert.True(RecordUse(buffer, version + one));
            }
            Assert.InRange(buffer.Newest.Length, 10_000, 65_536); // two bits for a record at most, at a load of a half
        }
    }

    private bool RecordUse(ReadBuffer buffer, ulong version) =>
        buffer.RecordUse(new SlidingUse(version, long.MaxValue, 1 << 20, long.MaxValue), 7, _clock) == _clock.Now;
}
