using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Reads;

/// <summary>The set in which reads note what they noticed.</summary>
public sealed class ReadBufferTests
{
    private const long Life = 1 << 20; // of which a tick is not too fine

    [Fact]
    public void A_use_counts_until_it_is_taken_and_the_latest_one_does()
    {
        var buffer = new ReadBuffer();
        Assert.Equal(0, buffer.LastUseOf(4096, 1));
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 100, Life));
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 300, Life));
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 200, Life));
        Assert.Equal((300, 0, 1), (buffer.LastUseOf(4096, 1), buffer.LastUseOf(4104, 1), buffer.Count));
        buffer.Gate.Enter();
        ReadBuffer.Note note = Assert.Single(Taken(buffer));
        Assert.Equal(new ReadBuffer.Note(4096, 1, 7, 300, IsUse: true), note);
        Assert.Equal((0, 0), (buffer.LastUseOf(4096, 1), buffer.Count));
    }

    [Fact]
    public void What_came_while_a_note_was_done_is_not_cleared()
    {
        var buffer = new ReadBuffer();
        buffer.Gate.Enter();
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 100, Life));
        int number = Enumerable.Range(0, ReadBuffer.Capacity).Single(one => buffer.TryPeek(one, out _));
        Assert.True(buffer.TryPeek(number, out ReadBuffer.Note note));
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 200, Life));
        Assert.False(buffer.TryClear(number, note));
        Assert.Equal(200, buffer.LastUseOf(4096, 1));
    }

    [Fact]
    public void An_end_is_no_use()
    {
        var buffer = new ReadBuffer();
        buffer.NoteEnd(4096, 1, 7, 100);
        Assert.Equal(0, buffer.LastUseOf(4096, 1));
        buffer.Gate.Enter();
        Assert.Equal(new ReadBuffer.Note(4096, 1, 7, 100, IsUse: false), Assert.Single(Taken(buffer)));
    }

    [Fact]
    public void Of_what_was_in_the_block_before_nothing_counts()
    {
        var buffer = new ReadBuffer();
        Assert.True(buffer.TryNoteUse(4096, 1, 7, 300, Life));
        Assert.Equal(0, buffer.LastUseOf(4096, 2));
        Assert.True(buffer.TryNoteUse(4096, 2, 7, 200, Life));
        Assert.Equal((300, 200, 2), (buffer.LastUseOf(4096, 1), buffer.LastUseOf(4096, 2), buffer.Count));
    }

    [Fact]
    public void What_finds_no_place_is_told_so()
    {
        var buffer = new ReadBuffer();
        nint payload = 8;
        while (buffer.TryNoteUse(payload, 1, 7, 100, Life))
            payload += 8;
        Assert.InRange(buffer.Count, 100, ReadBuffer.Capacity);
        Assert.Equal(0, buffer.LastUseOf(payload, 1));
    }

    /// <summary>Whoever takes notes writes them; what was noted is written or still here, whatever meets what.</summary>
    [Fact]
    public void No_use_is_lost_between_those_who_note_and_who_takes()
    {
        const int payloads = 64;
        int rounds = TestLeg.Steps(100_000, 5_000_000);
        var buffer = new ReadBuffer();
        var written = new long[payloads];
        var noted = new long[2][];
        long clock = 1;
        int running = noted.Length;
        Task[] noting = [.. Enumerable.Range(0, noted.Length).Select(thread => SideBySide.Start(() =>
        {
            var random = new Random(thread);
            noted[thread] = new long[payloads];
            for (int i = 0; i < rounds; i++)
            {
                int one = random.Next(payloads);
                long now = Interlocked.Increment(ref clock);
                if (buffer.TryNoteUse((one + 1) * 64, 1, (ulong)one, now, slidingTicks: 0))
                    noted[thread][one] = now;
            }
            Interlocked.Decrement(ref running);
        }))];
        while (Volatile.Read(ref running) != 0)
            Take(buffer, written);
        Task.WaitAll(noting);
        for (int one = 0; one < payloads; one++)
        {
            long last = Math.Max(written[one], buffer.LastUseOf((one + 1) * 64, 1));
            Assert.True(last >= noted.Max(thread => thread[one]), $"{one}: {last}, and {noted.Max(thread => thread[one])} was noted");
        }
        Take(buffer, written);
        Assert.Equal(0, buffer.Count);
    }

    private static void Take(ReadBuffer buffer, long[] written)
    {
        Assert.True(buffer.Gate.TryEnter());
        for (int number = 0; number < ReadBuffer.Capacity; number++)
        {
            if (!buffer.TryPeek(number, out ReadBuffer.Note note))
                continue;
            Assert.Equal((nint)(note.Hash + 1) * 64, note.Payload);
            written[note.Hash] = Math.Max(written[note.Hash], note.Time);
            _ = buffer.TryClear(number, note);
        }
        buffer.Gate.Exit();
    }

    private static List<ReadBuffer.Note> Taken(ReadBuffer buffer)
    {
        var taken = new List<ReadBuffer.Note>();
        for (int number = 0; number < ReadBuffer.Capacity; number++)
        {
            if (!buffer.TryPeek(number, out ReadBuffer.Note note))
                continue;
            taken.Add(note);
            Assert.True(buffer.TryClear(number, note));
        }
        return taken;
    }
}
