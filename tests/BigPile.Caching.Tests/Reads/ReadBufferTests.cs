using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Reads;

/// <summary>The set in which reads note what they noticed.</summary>
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
        Assert.True(Note(buffer, 1));
        _time.Advance(TimeSpan.FromTicks(100));
        Assert.True(Note(buffer, 1));
        long last = _clock.Now;
        Assert.Equal((last, 0, 1), (buffer.LastUseOf(1), buffer.LastUseOf(2), buffer.Count));
        buffer.Gate.Enter();
        Assert.Equal((1UL, 7UL, last), Assert.Single(Taken(buffer)));
        Assert.Equal((0, 0), (buffer.LastUseOf(1), buffer.Count));
    }

    [Fact]
    public void What_came_while_a_note_was_done_is_not_cleared()
    {
        var buffer = new ReadBuffer();
        buffer.Gate.Enter();
        Assert.True(Note(buffer, 1));
        int number = Enumerable.Range(0, ReadBuffer.LeastPlaces).Single(one => buffer.Peek(buffer.Newest, one).Note != null);
        (ReadBuffer.Note? note, long time) = buffer.Peek(buffer.Newest, number);
        _time.Advance(TimeSpan.FromTicks(100));
        Assert.True(Note(buffer, 1));
        Assert.False(buffer.TryClear(buffer.Newest, number, note!, time));
        Assert.Equal(_clock.Now, buffer.LastUseOf(1));
    }

    [Fact]
    public void An_end_is_no_use()
    {
        var buffer = new ReadBuffer();
        buffer.NoteEnd(1, 7);
        buffer.NoteEnd(1, 7);
        Assert.Equal((0, 1), (buffer.LastUseOf(1), buffer.Count));
        buffer.Gate.Enter();
        Assert.Equal((1UL, 7UL, ReadBuffer.Note.End), Assert.Single(Taken(buffer)));
    }

    [Fact]
    public void What_finds_no_place_has_the_set_grow_and_it_shrinks_again()
    {
        const int versions = 100_000;
        var buffer = new ReadBuffer();
        for (ulong version = 1; version <= versions; version++)
            Assert.True(Note(buffer, version));
        Assert.Equal(versions, buffer.Count);
        Assert.All(Enumerable.Range(1, versions), version => Assert.Equal(_clock.Now, buffer.LastUseOf((ulong)version)));
        buffer.Gate.Enter();
        Assert.Equal(Enumerable.Range(1, versions), Taken(buffer).Select(taken => (int)taken.Version).Order());
        buffer.EndTaking(isKept: false);
        Assert.Equal((0, ReadBuffer.LeastPlaces, null), (buffer.Count, buffer.Newest.Length, buffer.Newest.Older));
    }

    [Fact]
    public void A_set_that_has_grown_shrinks_though_some_are_noted_all_the_time()
    {
        var buffer = new ReadBuffer();
        buffer.Gate.Enter();
        for (ulong version = 1; version <= 100_000; version++)
            Assert.True(Note(buffer, version));
        _ = Taken(buffer);
        for (ulong version = 1; version <= 1_000; version++)
            Assert.True(Note(buffer, version));
        buffer.EndTaking(isKept: false); // those stay in the set that goes
        Assert.Equal((8_192, 1_000), (buffer.Newest.Length, buffer.Count));
        Assert.Equal(1_000, Taken(buffer).Count);
        buffer.EndTaking(isKept: false);
        Assert.Equal((ReadBuffer.LeastPlaces, null), (buffer.Newest.Length, buffer.Newest.Older));
    }

    /// <summary>Whoever has a set grow makes no more than a list of its parts, and what nobody has made is sealed, too.</summary>
    [Fact]
    public void A_large_set_is_made_in_parts()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        var set = new ReadBuffer.Set(1 << 22, older: null);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 1 << 16);
        var note = new ReadBuffer.Note(1, 7, 1);
        Assert.Equal((null, null), (set.At(5_000), set.Find(5_000, 1)));
        Assert.True(set.TryPut(5_000, note));
        Assert.False(set.TryPut(5_000, new ReadBuffer.Note(2, 7, 1)));
        Assert.Equal((note, note, null), (set.At(5_000), set.Find(5_000, 1), set.Find(5_000, 2)));
        Assert.False(set.TrySeal());
        Assert.False(set.TryPut(5_001, new ReadBuffer.Note(2, 7, 1)));
        Assert.False(set.TryPut(4_000_000, new ReadBuffer.Note(2, 7, 1)));
        set.Clear(5_000);
        Assert.True(set.TrySeal());
        Assert.Null(set.Find(5_000, 1));
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
        Assert.True(Note(buffer, farthest));
        Assert.Equal((ReadBuffer.LeastPlaces, _clock.Now), (buffer.Newest.Length, buffer.LastUseOf(farthest)));
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
                    Assert.True(Note(buffer, version + one));
            }
            Assert.InRange(buffer.Newest.Length, 10_000, 65_536); // two bits for a note at most, at a load of a half
        }
    }

    /// <summary>Who finds an entry over ends what is noted; who notes behind its end is refused.</summary>
    [Fact]
    public void What_has_ended_is_not_used_again()
    {
        var buffer = new ReadBuffer();
        SlidingUse use = UseOf(1) with { ExpiresAt = _clock.Now + Life };
        Assert.NotEqual(0, buffer.NoteUse(use, 7, _clock));
        _time.Advance(TimeSpan.FromTicks(Life - 1));
        Assert.True(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.NotEqual(0, buffer.NoteUse(use, 7, _clock));
        _time.Advance(TimeSpan.FromTicks(Life));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
        Assert.Equal(0, buffer.NoteUse(use, 7, _clock));
        Assert.False(buffer.IsAlive(use, _clock, _clock.Now));
    }

    /// <summary>Who notes has read the clock, and before he states it another finds the entry over.</summary>
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
            Assert.NotEqual(0, buffer.NoteUse(use, 7, clock));
        time.Passed = TimeSpan.FromTicks(Life / 2);
        bool isAlive = true;
        time.Hook = () =>
        {
            time.Passed = TimeSpan.FromTicks(2 * Life);
            isAlive = buffer.IsAlive(use, clock, now + 2 * Life);
        };
        Assert.Equal(0, buffer.NoteUse(use, 7, clock));
        Assert.False(isAlive);
    }

    /// <summary>Once anybody has found the entry over, nobody finds it alive again, whatever meets what.</summary>
    [Fact]
    public void An_entry_ends_once()
    {
        int rounds = TestLeg.Steps(2_000, 200_000);
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
                        _ = buffer.NoteUse(use, 7, clock);
                }
            }

            Task other = SideBySide.Start(Read);
            Read();
            other.Wait();
            Read(); // nor is it later
            Assert.Equal((round, 0), (round, late));
        }
    }

    /// <summary>Whoever takes notes writes them; what was noted is written or still here, whatever meets what.</summary>
    [Fact]
    public void No_use_is_lost_between_those_who_note_and_who_takes()
    {
        const int versions = 2_000; // so that the set grows and shrinks
        int rounds = TestLeg.Steps(100_000, 5_000_000);
        var clock = new CacheClock(TimeProvider.System, Guid.NewGuid());
        var buffer = new ReadBuffer();
        var written = new long[versions];
        var noted = new long[2][];
        int running = noted.Length;
        Task[] noting = [.. Enumerable.Range(0, noted.Length).Select(thread => SideBySide.Start(() =>
        {
            var random = new Random(thread);
            noted[thread] = new long[versions];
            for (int i = 0; i < rounds; i++)
            {
                int one = random.Next(versions);
                long now = clock.Now;
                Assert.NotEqual(0, buffer.NoteUse(new SlidingUse((ulong)one + 1, long.MaxValue, 1, long.MaxValue), (ulong)one, clock));
                noted[thread][one] = now;
            }
            Interlocked.Decrement(ref running);
        }))];
        while (Volatile.Read(ref running) != 0)
            Take(buffer, written);
        Task.WaitAll(noting);
        for (int one = 0; one < versions; one++)
        {
            long last = Math.Max(written[one], buffer.LastUseOf((ulong)one + 1));
            Assert.True(last >= noted.Max(thread => thread[one]), $"{one}: {last}, and {noted.Max(thread => thread[one])} was noted");
        }
        Take(buffer, written);
        Assert.Equal(0, buffer.Count);
    }

    private static void Take(ReadBuffer buffer, long[] written)
    {
        Assert.True(buffer.Gate.TryEnter());
        foreach ((ulong version, ulong hash, long time) in Taken(buffer, clearsAll: false))
        {
            Assert.Equal(hash + 1, version);
            written[hash] = Math.Max(written[hash], time);
        }
        buffer.EndTaking(isKept: false);
        buffer.Gate.Exit();
    }

    private static List<(ulong Version, ulong Hash, long Time)> Taken(ReadBuffer buffer, bool clearsAll = true)
    {
        var taken = new List<(ulong, ulong, long)>();
        for (ReadBuffer.Set? set = buffer.Newest; set != null; set = set.Older)
        {
            for (int number = 0; number < set.Length; number++)
            {
                if (buffer.Peek(set, number) is not ({ } note, var time))
                    continue;
                taken.Add((note.Version, note.Hash, time));
                Assert.True(buffer.TryClear(set, number, note, time) || !clearsAll);
            }
        }
        return taken;
    }

    private static SlidingUse UseOf(ulong version) => new(version, long.MaxValue, Life, long.MaxValue);

    private bool Note(ReadBuffer buffer, ulong version) => buffer.NoteUse(UseOf(version), 7, _clock) == _clock.Now;
}
