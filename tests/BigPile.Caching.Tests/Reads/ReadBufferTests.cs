using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;
using BigPile.Caching.Liveness;

namespace BigPile.Caching.Tests.Reads;

/// <summary>The sets in which reads record their observations.</summary>
public sealed class ReadBufferTests
{
    private const long Life = 1 << 20; // of which a tick is not too fine

    private readonly ManualTime _time = new();
    private readonly CacheClock _clock;

    public ReadBufferTests() => _clock = new CacheClock(_time, Guid.NewGuid());

    [Fact]
    public void A_use_counts_until_it_is_taken_and_the_latest_one_does()
    {
        var buffer = new ReadBuffer();
        Assert.Equal(0, buffer.LastUseOf(1));
        Assert.True(RecordUse(buffer, 1));
        _time.Advance(TimeSpan.FromTicks(100));
        Assert.True(RecordUse(buffer, 1));
        long last = _clock.Now;
        Assert.Equal((last, 0, 1), (buffer.LastUseOf(1), buffer.LastUseOf(2), buffer.Count));
        Assert.True(buffer.TryEnterDrain(waits: true));
        Assert.Equal((1UL, 7UL, last), Assert.Single(BufferRecords.Drain(buffer)));
        Assert.Equal((0, 0), (buffer.LastUseOf(1), buffer.Count));
    }

    [Fact]
    public void What_came_while_a_note_was_done_is_not_cleared()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        Assert.True(RecordUse(buffer, 1));
        int number = Enumerable.Range(0, ReadBuffer.MinCells).Single(one => buffer.TryPeek(buffer.Newest, one, out _, out _));
        Assert.True(buffer.TryPeek(buffer.Newest, number, out ReadBuffer.Record record, out long time));
        _time.Advance(TimeSpan.FromTicks(100));
        Assert.True(RecordUse(buffer, 1));
        Assert.False(buffer.TryClear(record, time));
        Assert.Equal(_clock.Now, buffer.LastUseOf(1));
    }

    /// <summary>What a renewal is going to say counts before it is written, and no later use gives less.</summary>
    [Fact]
    public void A_note_says_first_what_is_written_for_it()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        SlidingUse use = UseOf(1) with { ExpiresAt = _clock.Now + Life };
        Assert.NotEqual(0, buffer.RecordUse(use, 7, _clock));
        (ReadBuffer.Record record, long time) = BufferRecords.Of(buffer).Single();
        Assert.True(ReadBuffer.TryMarkAhead(record, ref time));
        _time.Advance(TimeSpan.FromTicks(Life / 32));
        long last = buffer.RecordUse(use, 7, _clock);
        Assert.Equal(_clock.Now + Life + Life / 16, use.EndAfter(last, _clock));
        Assert.False(ReadBuffer.TryMarkAhead(record, ref time) && buffer.TryClear(record, time)); // of the use before
        _time.Advance(TimeSpan.FromTicks(Life + Life / 16 - 1));
        Assert.True(buffer.IsAlive(use, _clock, _clock.Now));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.False(ReadBuffer.TryMarkAhead(record, ref time) && buffer.TryClear(record, time));
    }

    [Fact]
    public void What_was_found_over_is_not_lifted()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryEnterDrain(waits: true));
        SlidingUse use = UseOf(1) with { ExpiresAt = _clock.Now + 1 };
        Assert.NotEqual(0, buffer.RecordUse(use, 7, _clock));
        (ReadBuffer.Record record, long time) = BufferRecords.Of(buffer).Single();
        _time.Advance(TimeSpan.FromTicks(Life));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.False(ReadBuffer.TryMarkAhead(record, ref time));
    }

    [Fact]
    public void An_end_is_no_use()
    {
        var buffer = new ReadBuffer();
        buffer.RecordEnd(1, 7);
        buffer.RecordEnd(1, 7);
        Assert.Equal((0, 1), (buffer.LastUseOf(1), buffer.Count));
        Assert.True(buffer.TryEnterDrain(waits: true));
        Assert.Equal((1UL, 7UL, ReadBuffer.Record.End), Assert.Single(BufferRecords.Drain(buffer)));
    }

    /// <summary>Finding an entry expired ends its records; a use recorded after its end is refused.</summary>
    [Fact]
    public void What_has_ended_is_not_used_again()
    {
        var buffer = new ReadBuffer();
        SlidingUse use = UseOf(1) with { ExpiresAt = _clock.Now + Life };
        Assert.NotEqual(0, buffer.RecordUse(use, 7, _clock));
        _time.Advance(TimeSpan.FromTicks(Life - 1));
        Assert.True(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.NotEqual(0, buffer.RecordUse(use, 7, _clock));
        _time.Advance(TimeSpan.FromTicks(Life));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.Equal(0, buffer.RecordUse(use, 7, _clock));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
    }

    /// <summary>A use has read the clock, and before it completes its record another thread finds the entry expired.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_end_that_comes_between_the_clock_and_the_note_counts(bool wasUsed)
    {
        var time = new HookedTime();
        var clock = new CacheClock(time, Guid.NewGuid());
        var buffer = new ReadBuffer();
        long now = clock.Now;
        SlidingUse use = UseOf(1) with { ExpiresAt = now + Life };
        if (wasUsed)
            Assert.NotEqual(0, buffer.RecordUse(use, 7, clock));
        time.Passed = TimeSpan.FromTicks(Life / 2);
        bool isAlive = true;
        time.Hook = () =>
        {
            time.Passed = TimeSpan.FromTicks(2 * Life);
            isAlive = buffer.IsAlive(use, clock, now + 2 * Life);
        };
        Assert.Equal(0, buffer.RecordUse(use, 7, clock));
        Assert.False(isAlive);
    }

    /// <summary>
    /// Of two threads that record the first use at the block's expiry one is too late; the other's use is in the next cell.
    /// </summary>
    [Fact]
    public void A_use_counts_though_a_place_before_it_was_given_up()
    {
        var time = new HookedTime { IsReadBehind = true };
        var clock = new CacheClock(time, Guid.NewGuid());
        var buffer = new ReadBuffer();
        SlidingUse use = UseOf(1) with { ExpiresAt = clock.Now + Life };
        time.Hook = () =>
        {
            time.Passed = TimeSpan.FromTicks(Life / 2);
            Assert.NotEqual(0, buffer.RecordUse(use, 7, clock));
            time.Passed = TimeSpan.FromTicks(Life);
        };
        Assert.Equal(0, buffer.RecordUse(use, 7, clock));
        Assert.True(buffer.IsAlive(use, clock, clock.Now));
        Assert.NotEqual(0, buffer.RecordUse(use, 7, clock));
        Assert.Equal(clock.Now, buffer.LastUseOf(1));
        Assert.Equal(1, buffer.Count);
    }

    /// <summary>Once a thread has found the entry expired, no thread finds it alive again, in any interleaving.</summary>
    [Fact]
    public void An_entry_ends_once()
    {
        int rounds = TestLeg.Steps(300, 200_000);
        var clock = new CacheClock(TimeProvider.System, Guid.NewGuid());
        var buffer = new ReadBuffer();
        for (int round = 0; round < rounds; round++)
        {
            const long life = 200; // ticks: 20 us
            var use = new SlidingUse((ulong)round + 1, clock.Now + life, life, long.MaxValue);
            int ended = 0;
            int late = 0;
            void Read()
            {
                while (true)
                {
                    bool wasEnded = Volatile.Read(ref ended) != 0;
                    long now = clock.Now;
                    bool isAlive = now < use.ExpiresAt || buffer.IsAlive(use, clock, now);
                    if (isAlive && wasEnded)
                        Interlocked.Increment(ref late);
                    if (!isAlive)
                    {
                        Volatile.Write(ref ended, 1);
                        return;
                    }
                    if (Volatile.Read(ref ended) == 0 && now < use.ExpiresAt + life)
                        _ = buffer.RecordUse(use, 7, clock);
                }
            }

            Task other = SideBySide.Start(Read);
            Read();
            other.Wait();
            Read(); // nor is it later
            Assert.Equal((round, 0), (round, late));
        }
    }

    /// <summary>A drain writes what it takes: each recorded use is written or still in the buffer, in any interleaving.</summary>
    [Fact]
    public void No_use_is_lost_between_those_who_note_and_who_takes()
    {
        const int versions = 2_000; // so that the set grows and shrinks
        int rounds = TestLeg.Steps(20_000, 5_000_000);
        var clock = new CacheClock(TimeProvider.System, Guid.NewGuid());
        var buffer = new ReadBuffer();
        var written = new long[versions];
        var recorded = new long[2][];
        int running = recorded.Length;
        Task[] recorders = [.. Enumerable.Range(0, recorded.Length).Select(thread => SideBySide.Start(() =>
        {
            var random = new Random(thread);
            recorded[thread] = new long[versions];
            for (int i = 0; i < rounds; i++)
            {
                int one = random.Next(versions);
                var use = new SlidingUse((ulong)one + 1, long.MaxValue, 1, long.MaxValue);
                recorded[thread][one] = buffer.RecordUse(use, (ulong)one, clock);
                Assert.NotEqual(0, recorded[thread][one]);
            }
            Interlocked.Decrement(ref running);
        }))];
        while (Volatile.Read(ref running) != 0)
            Take(buffer, written);
        Task.WaitAll(recorders);
        for (int one = 0; one < versions; one++)
        {
            long last = Math.Max(written[one], buffer.LastUseOf((ulong)one + 1));
            Assert.True(last >= recorded.Max(thread => thread[one]), $"{one}: {last}, and {recorded.Max(thread => thread[one])} was noted");
        }
        Take(buffer, written);
        Assert.Equal(0, buffer.Count);
    }

    private static void Take(ReadBuffer buffer, long[] written)
    {
        Assert.True(buffer.TryEnterDrain(waits: false));
        foreach ((ulong version, ulong hash, long time) in BufferRecords.Drain(buffer, clearsAll: false))
        {
            Assert.Equal(hash + 1, version);
            written[hash] = Math.Max(written[hash], time);
        }
        buffer.EndDrain(buffer.Count, isDeferred: false);
        buffer.ExitDrain();
    }

    private static SlidingUse UseOf(ulong version) => new(version, long.MaxValue, Life, long.MaxValue);

    private bool RecordUse(ReadBuffer buffer, ulong version) => buffer.RecordUse(UseOf(version), 7, _clock) == _clock.Now;
}
