using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Tests.Durability;

namespace BigPile.Tests.Allocation;

/// <summary>The background makes the next segment before it is needed, and gives empty ones back.</summary>
public sealed class SegmentAheadTests : IDisposable
{
    private const int SegmentBytes = 4 << 20;
    private const int ValueBytes = 8_000;

    private readonly CountingStore _store = new();
    private readonly ManualTime _time = new();
    private readonly Pile _pile;

    public SegmentAheadTests() =>
        _pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, CustomStore = _store, TimeProvider = _time });

    private SegmentGrowth Growth => _pile.Engine.Blocks.Allocator.Pool.Growth;

    public void Dispose() => _pile.Dispose();

    [Fact]
    public void A_segment_is_there_before_the_last_pages_are_used()
    {
        Fill(_pile, SegmentBytes / 2);
        Assert.Equal(1, _store.Made);
        Fill(_pile, SegmentBytes / 3);
        Eventually.True(() => Growth.HasSpare);
        Assert.NotEqual(Environment.CurrentManagedThreadId, _store.LastThread);
        Assert.Equal((1, SegmentBytes), (_pile.Statistics.SegmentCount, _pile.Statistics.ReservedBytes)); // it is not used yet
        Fill(_pile, SegmentBytes);
        Assert.Equal(2, _pile.Statistics.SegmentCount);
        Eventually.True(() => Growth.HasSpare);
        Assert.Equal(3, _store.Made);
    }

    [Fact]
    public void A_mapped_pile_makes_one_as_well_and_has_it_after_a_kill()
    {
        using var directory = new TemporaryDirectory();
        var options = new PileOptions { Directory = directory.Pile, SegmentBytes = SegmentBytes };
        List<PilePointer> pointers;
        using (var pile = new Pile(options))
        {
            pointers = Fill(pile, SegmentBytes * 5 / 6);
            Eventually.True(() => pile.Engine.Blocks.Allocator.Pool.Growth.HasSpare);
            Assert.Equal(2, Directory.GetFiles(directory.Pile, "segment-*").Length);
            KilledPile.Copy(directory.Pile, directory.Path + "/killed");
        }
        Assert.Single(Directory.GetFiles(directory.Pile, "segment-*")); // closed, the pile has no more than it needs
        using (var killed = new Pile(options with { Directory = directory.Path + "/killed" }))
        {
            Assert.Equal(2, killed.Statistics.SegmentCount);
            Assert.All(pointers, pointer => Assert.Equal(ValueBytes, killed.Get<byte[]>(pointer).Length));
        }
        using var again = new Pile(options);
        Assert.Equal(1, again.Statistics.SegmentCount);
        Assert.All(pointers, pointer => Assert.Equal(ValueBytes, again.Get<byte[]>(pointer).Length));
        Fill(again, SegmentBytes);
        Assert.Empty(again.Verify().Faults);
    }

    [Fact]
    public void None_is_made_beyond_the_limit()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes * 3 / 2 });
        Assert.Throws<PileFullException>(() => Fill(pile, 2 * SegmentBytes));
        Assert.Equal(SegmentBytes * 3 / 2, pile.Statistics.ReservedBytes); // the last one is shorter, and was made when it was needed
    }

    [Fact]
    public void Nobody_is_told_that_none_could_be_made_ahead_until_it_is_needed()
    {
        Fill(_pile, 1);
        _store.Fails = true;
        Fill(_pile, SegmentBytes * 9 / 10);
        Eventually.True(() => _store.Failures != 0);
        Assert.Equal(0, _pile.Statistics.BackgroundFailureCount);
        Assert.IsType<IOException>(Assert.Throws<PileFullException>(() => Fill(_pile, SegmentBytes)).InnerException);
        _store.Fails = false;
        Fill(_pile, SegmentBytes);
    }

    /// <summary>Who makes segments ahead must not give them back at once.</summary>
    [Fact]
    public void A_pile_that_goes_up_and_down_by_a_part_of_a_segment_makes_no_more_of_them()
    {
        Fill(_pile, SegmentBytes * 7 / 8);
        Eventually.True(() => Growth.HasSpare);
        int made = _store.Made;
        for (int round = 0; round < 50; round++)
        {
            foreach (PilePointer pointer in Fill(_pile, SegmentBytes / 3))
                _pile.Delete(pointer);
            Eventually.True(() => _pile.Engine.Background.IsIdle);
        }
        Assert.InRange(_store.Made, made, made + 1);
    }

    /// <summary>Each round empties more than a segment: it stays until the pile has not grown for a while, and goes then.</summary>
    [Fact]
    public void Objects_that_come_and_go_at_the_end_of_a_segment_have_none_made_each_time()
    {
        Fill(_pile, SegmentBytes * 7 / 8);
        int[] made = new int[20];
        for (int round = 0; round < made.Length; round++)
        {
            foreach (PilePointer pointer in Fill(_pile, SegmentBytes * 3 / 2))
                _pile.Delete(pointer);
            Eventually.True(() => _pile.Engine.Background.IsIdle);
            made[round] = _store.Made;
        }
        Assert.InRange(_store.Made, made[0], made[0] + 1);
        Assert.InRange(_pile.Statistics.SegmentCount, 3, 4);
        _time.Advance(TimeSpan.FromSeconds(10));
        Eventually.True(() => _pile.Statistics.SegmentCount == 2); // the first, and one for the next round
        Eventually.True(() => _pile.Engine.Background.IsIdle);
        int before = _store.Made;
        foreach (PilePointer pointer in Fill(_pile, SegmentBytes / 2))
            _pile.Delete(pointer);
        Eventually.True(() => _pile.Engine.Background.IsIdle);
        Assert.Equal(before, _store.Made);
    }

    /// <summary>The trim has passed it, and of pages alone not so many are free that there is another one.</summary>
    [Fact]
    public void A_segment_that_is_emptied_during_a_trim_goes_as_well()
    {
        PilePointer[][] segments =
        [
            .. Enumerable.Range(0, 6 * SegmentBytes / SizeClasses.PageBytes).Select(_ => _pile.Put(new byte[60_000])) // a page each
                .GroupBy(static pointer => (long)pointer.Address * SizeClasses.GranuleBytes / SegmentBytes)
                .Select(static group => group.ToArray()),
        ];
        foreach (PilePointer pointer in segments[0].Where(static (_, i) => i % 2 == 0).Concat(segments[4].Skip(1)))
            _pile.Delete(pointer);
        _time.Advance(TimeSpan.FromSeconds(10)); // it has just grown
        Eventually.True(() => _pile.Engine.Background.IsIdle);
        long before = _pile.Statistics.SegmentCount;
        _store.Withdrawing = () =>
        {
            _store.Withdrawing = null;
            Assert.True(SideBySide.Start(() => _pile.Delete(segments[4][0])).Wait(Eventually.Timeout));
        };
        Array.ForEach(segments[1], _pile.Delete);
        Eventually.True(() => _pile.Statistics.SegmentCount == before - 2);
    }

    [Fact]
    public void Empty_segments_go_back_in_the_background()
    {
        List<PilePointer> pointers = Fill(_pile, 6 * SegmentBytes);
        foreach (PilePointer pointer in pointers)
            _pile.Delete(pointer);
        _time.Advance(TimeSpan.FromSeconds(10)); // it has just grown
        Eventually.True(() => _pile.Statistics.SegmentCount == 1);
        Fill(_pile, 3 * SegmentBytes);
        _pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    [Fact]
    public void An_applications_clock_that_goes_back_keeps_no_segment()
    {
        List<PilePointer> pointers = Fill(_pile, 6 * SegmentBytes);
        _time.Advance(TimeSpan.FromDays(-80));
        pointers.ForEach(_pile.Delete);
        _time.Advance(TimeSpan.FromSeconds(10));
        Eventually.True(() => _pile.Statistics.SegmentCount == 1);
    }

    [Fact]
    public void A_pile_that_is_closed_before_it_gives_segments_back_leaves_no_timer()
    {
        int timers = _time.PendingCount;
        using (var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, Store = StoreKind.Native, TimeProvider = _time }))
        {
            Fill(pile, 3 * SegmentBytes).ForEach(pile.Delete);
            Assert.True(_time.PendingCount > timers);
        }
        Assert.Equal(timers, _time.PendingCount);
    }

    private static List<PilePointer> Fill(Pile pile, int bytes)
    {
        var pointers = new List<PilePointer>();
        for (int filled = 0; filled < bytes; filled += ValueBytes)
            pointers.Add(pile.Put(new byte[ValueBytes]));
        return pointers;
    }

    private sealed class CountingStore : SegmentStore
    {
        private readonly MemorySegmentStore _store = new(StoreKind.Native, hugePages: false);
        private int _failures;

        internal bool Fails { get; set; }

        internal Action? Withdrawing { get; set; }

        internal int Failures => Volatile.Read(ref _failures);

        internal int Made { get; private set; }

        internal int LastThread { get; private set; }

        internal override StoreKind Kind => _store.Kind;

        internal override void Withdraw(int number, uint generation) => Withdrawing?.Invoke();

        internal override MemoryRegion Create(int number, long lengthBytes)
        {
            if (Fails)
            {
                Interlocked.Increment(ref _failures);
                throw new IOException("no space");
            }
            Made++;
            LastThread = Environment.CurrentManagedThreadId;
            return _store.Create(number, lengthBytes);
        }
    }
}
