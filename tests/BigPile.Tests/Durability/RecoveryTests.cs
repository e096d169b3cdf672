using System;
using System.Linq;
using BigPile.Layout;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A pile answers before its pages were examined, and afterwards it is as if they always had been.</summary>
public sealed class RecoveryTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Objects = 20_000;

    private PilePointer[] _pointers = [];
    private PileStatistics _statistics = null!;

    [Fact]
    public void The_first_get_and_put_look_at_their_own_pages_only()
    {
        Fill();
        using Pile pile = Open(static options => options with { Warmup = PileWarmup.Off });
        long total = pile.Recovery.TotalBytes;
        Assert.Equal(_statistics.CommittedBytes - _statistics.SegmentCount * SizeClasses.PageBytes, total); // all but the heads
        Assert.Equal(total, pile.Recovery.RemainingBytes);
        Assert.Equal(total, pile.Statistics.UnexaminedBytes);
        Assert.Equal(ValueOf(123), pile.Get(_pointers[123]));
        Assert.Equal(total - SizeClasses.PageBytes, pile.Recovery.RemainingBytes);
        PilePointer added = pile.Put("added");
        Assert.Equal("added", pile.Get(added));
        Assert.Equal(total - SizeClasses.PageBytes, pile.Recovery.RemainingBytes);
        Assert.False(pile.Recovery.IsComplete);
        Assert.True(pile.Recovery.Completion.IsCompleted);
    }

    [Fact]
    public void Pages_examined_on_demand_in_any_order_give_the_same_as_in_turn()
    {
        Fill();
        int seed = TestLeg.Seed(51);
        output.WriteLine($"seed {seed}");
        using Pile pile = Open(static options => options with { Warmup = PileWarmup.Off });
        PilePointer[] shuffled = [.. _pointers];
        new Random(seed).Shuffle(shuffled);
        Assert.All(shuffled, pointer => Assert.True(pile.Contains(pointer)));
        Assert.True(pile.Recovery.IsComplete);
        Assert.Equal(_statistics with { RecordBytes = 0 }, pile.Statistics with { RecordBytes = 0 });
        Assert.Equal(0, pile.Recovery.FaultCount);
    }

    [Theory]
    [InlineData(PileWarmup.Touch)]
    [InlineData(PileWarmup.Verify)]
    public void The_background_ends_with_exact_statistics(PileWarmup warmup)
    {
        Fill();
        using Pile pile = Open(options => options with { Warmup = warmup });
        pile.Recovery.Completion.Wait();
        Assert.True(pile.Recovery.IsComplete);
        Assert.Equal(0, pile.Recovery.RemainingBytes);
        Assert.Equal(_statistics with { RecordBytes = 0 }, pile.Statistics with { RecordBytes = 0 });
    }

    [Fact]
    public void Advice_reads_ahead_and_examines_nothing()
    {
        Fill();
        using Pile pile = Open(static options => options with { Warmup = PileWarmup.Advise });
        pile.Recovery.Completion.Wait();
        Assert.Equal(pile.Recovery.TotalBytes, pile.Recovery.RemainingBytes);
        Assert.Equal(ValueOf(5), pile.Get(_pointers[5]));
    }

    /// <summary>After a kill the free space must be known some time: the background works whatever the options say.</summary>
    [Theory]
    [InlineData(PileWarmup.Off)]
    [InlineData(PileWarmup.Advise)]
    public void After_a_kill_everything_is_examined(PileWarmup warmup)
    {
        using Pile pile = Open();
        Fill(pile);
        using Pile killed = OpenKilled(options => options with { Warmup = warmup });
        killed.Recovery.Completion.Wait();
        Assert.True(killed.Recovery.IsComplete);
        Assert.False(killed.Recovery.WasClean);
        Assert.False(killed.Recovery.WasPowerCut);
    }

    [Fact]
    public void The_rate_is_limited_by_the_clock_that_was_given()
    {
        Fill();
        var time = new ManualTime();
        long rate = 10 * SizeClasses.PageBytes;
        using Pile pile = Open(options => options with
        {
            WarmupBytesPerSecond = rate,
            TimeProvider = time,
        });
        long total = pile.Recovery.TotalBytes;
        long step = 0;
        while (!pile.Recovery.Completion.IsCompleted)
        {
            Eventually.True(() => time.PendingCount != 0 || pile.Recovery.Completion.IsCompleted);
            long done = total - pile.Recovery.RemainingBytes;
            Assert.True(done <= step * rate / 2 + 32 * SizeClasses.PageBytes, $"{done:N0} bytes after {step * 0.5} s");
            step++;
            time.Advance(TimeSpan.FromSeconds(0.5));
        }
        Assert.True(step * 0.5 >= (double)total / rate - 4, $"{total:N0} bytes in {step * 0.5} s");
        Assert.True(pile.Recovery.IsComplete);
    }

    [Fact]
    public void A_pause_stops_the_background_and_a_resumption_ends_it()
    {
        Fill();
        var time = new ManualTime();
        using Pile pile = Open(options => options with
        {
            WarmupBytesPerSecond = 1_000,
            TimeProvider = time,
        });
        Eventually.True(() => time.PendingCount != 0);
        pile.Recovery.Pause();
        Assert.True(pile.Recovery.Completion.IsCompletedSuccessfully);
        long remaining = pile.Recovery.RemainingBytes;
        Assert.InRange(remaining, 1, pile.Recovery.TotalBytes - 1);
        time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(remaining, pile.Recovery.RemainingBytes);
        pile.Recovery.Resume();
        while (!pile.Recovery.Completion.IsCompleted)
        {
            Eventually.True(() => time.PendingCount != 0 || pile.Recovery.Completion.IsCompleted);
            time.Advance(TimeSpan.FromHours(2));
        }
        Assert.True(pile.Recovery.IsComplete);
        pile.Recovery.Pause();
        pile.Recovery.Resume();
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(pile.Recovery.Resume);
    }

    [Fact]
    public void Closing_does_not_wait_for_the_background()
    {
        Fill();
        for (int i = 0; i < 20; i++)
        {
            var time = new ManualTime();
            Pile pile = Open(options => options with
            {
                WarmupBytesPerSecond = i % 2,
                TimeProvider = time,
            });
            Assert.Equal(ValueOf(i), pile.Get(_pointers[i]));
            pile.Dispose();
            Assert.True(pile.Recovery.Completion.IsCompleted);
        }
        using Pile last = Open();
        last.Recovery.Completion.Wait();
        Assert.Equal(_statistics with { RecordBytes = 0 }, last.Statistics with { RecordBytes = 0 });
    }

    /// <summary>What a kill leaves at each of the places between two stores that concern one block.</summary>
    [Fact]
    public void The_traces_of_a_kill_are_removed_and_counted()
    {
        using Pile pile = Open();
        Fill(pile);
        PilePointer linked = pile.Put("short");
        pile.Replace(linked, new string('x', 5_000));
        PilePointer busy = pile.Put("busy");
        PilePointer orphaned = pile.Put("short");
        pile.Replace(orphaned, new string('y', 3_000));
        PileStatistics expected = pile.Statistics;
        SetHeader(pile, busy, static header => header.Busy);
        SetHeader(pile, orphaned, static header => header.Freed); // deleted, and its target was not yet
        using Pile killed = OpenKilled();
        killed.Recovery.Completion.Wait();
        Assert.Equal((1, 0), (killed.Recovery.OrphanCount, killed.Recovery.FaultCount));
        Assert.Equal("busy", killed.Get(busy));
        killed.Replace(busy, "free");
        Assert.Equal("free", killed.Get(busy));
        Assert.Equal(5_000, killed.Get<string>(linked).Length);
        Assert.False(killed.Contains(orphaned));
        Assert.Equal(expected.ObjectCount - 1, killed.Statistics.ObjectCount);
        Assert.Equal(expected.LinkCount, killed.Statistics.LinkCount); // one less, and one more: what was found is replaced elsewhere
        Assert.Equal(expected.PayloadBytes - 3_000, killed.Statistics.PayloadBytes);
        killed.Dispose();
        Assert.True(Pile.VerifyDirectory(ImagePath).IsSound);
    }

    private static unsafe void SetHeader(Pile pile, PilePointer pointer, Func<BlockHeader, BlockHeader> change)
    {
        var header = (ulong*)pile.Blocks.Map.Find(pointer.Address, out _);
        *header = change(new BlockHeader(*header)).Word;
    }

    private void Fill()
    {
        using Pile pile = Open();
        Fill(pile);
    }

    private void Fill(Pile pile)
    {
        _pointers = [.. Enumerable.Range(0, Objects).Select(i => pile.Put(ValueOf(i)))];
        for (int i = 0; i < Objects; i += 17)
            pile.Replace(_pointers[i], ValueOf(i));
        Eventually.True(() => pile.Engine.Background.IsIdle); // a segment may be made ahead
        _statistics = pile.Statistics;
    }

    private static string ValueOf(int number) => new((char)('a' + number % 26), number % 700);
}
