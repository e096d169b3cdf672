using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Tests.Inside;

/// <summary>A million of the cheapest operations by threads that come and go; then a look at what never went back.</summary>
[Collection(AloneCollection.Name)]
public sealed class ResourceLeakTests
{
    private const int SegmentBytes = 4 << 20;
    private const int Threads = 200;
    private const int ThreadsAtOnce = 10;
    private const int RoundsPerThread = 1_000;

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    [InlineData(StoreKind.Mapped)]
    public void What_short_lived_threads_took_is_there_again(StoreKind kind)
    {
        using var temporary = new TemporaryDirectory();
        using Pile pile = kind == StoreKind.Mapped
            ? Pile.Open(temporary.Path, new PileOptions { SegmentBytes = SegmentBytes })
            : new Pile(new PileOptions { SegmentBytes = SegmentBytes, Store = kind });
        PilePointer kept = pile.Put("kept");
        RunThreads(pile);
        Quiesce(pile);
        PileStatistics first = pile.Statistics;
        long firstManaged = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < TestLeg.Steps(2, 3); i++)
            RunThreads(pile);
        Quiesce(pile);
        PileStatistics last = pile.Statistics;
        Assert.Equal("kept", pile.Get(kept));
        Assert.Equal((1, 1), (last.ObjectCount, pile.Count()));
        Assert.Equal(0, last.LinkCount);
        Assert.Equal(0, pile.LeaseCount);
        Assert.Equal(first.ReservedBytes, last.ReservedBytes);
        Assert.InRange(last.RecordBytes, 0, first.RecordBytes + 100_000);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true), 0, firstManaged + 2_000_000);
        Assert.InRange(PileRegions.KnownCount, 1, Threads);
        Assert.Equal(0, last.BackgroundFailureCount);
    }

    /// <summary>What a codec knows of a type refers to the codec; a type of the framework never goes.</summary>
    [Fact]
    public void Nothing_of_a_closed_pile_stays_in_memory()
    {
        WeakReference[] codecs = [.. Enumerable.Range(0, 20).Select(static _ => OpenUseAndClose())];
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Assert.InRange(codecs.Count(static codec => codec.IsAlive), 0, 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference OpenUseAndClose()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        Assert.Equal(new[] { 1, 2 }, pile.Get(pile.Put(new[] { 1, 2 })));
        return new WeakReference(pile.Engine.Codec);
    }

    private static void Quiesce(Pile pile)
    {
        pile.Flush();
        pile.Compact();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var one = new Thread(() => pile.Contains(default)); // forgets those that ended
        one.Start();
        one.Join();
    }

    private static void RunThreads(Pile pile)
    {
        for (int started = 0; started < Threads; started += ThreadsAtOnce)
        {
            Thread[] threads = [.. Enumerable.Range(started, ThreadsAtOnce).Select(i => new Thread(() => Work(pile, i)))];
            Array.ForEach(threads, static thread => thread.Start());
            Array.ForEach(threads, static thread => thread.Join());
        }
    }

    private static void Work(Pile pile, int seed)
    {
        var value = new byte[seed % 50];
        for (int i = 0; i < RoundsPerThread; i++)
        {
            PilePointer pointer = pile.Put(value);
            using (PileLease lease = pile.Lease(pointer))
                pile.Replace(pointer, new byte[(seed + i) % 300]); // elsewhere, as it is leased
            pile.Contains(pointer);
            pile.Delete(pointer);
            pile.TryDelete(pointer);
        }
    }
}
