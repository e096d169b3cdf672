using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Telemetry;
using Xunit.Abstractions;
using static BigPile.PileTelemetry;

namespace BigPile.Tests;

public sealed class PileActivityTests(ITestOutputHelper output) : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Fact]
    public void An_opening_has_its_recovery_and_a_flush_its_checkpoint()
    {
        using (Pile pile = Open())
            pile.Put("x");
        using var seen = new SeenActivities();
        using (Pile pile = Open())
        {
            pile.Recovery.Completion.Wait();
            pile.Put("y");
            pile.Flush();
        }
        output.WriteLine(seen.ToString());
        seen.AssertDone(OpenActivity, null, (PileNameTag, "shop"));
        seen.AssertDone(RecoveryActivity, OpenActivity, (PileNameTag, "shop"));
        seen.AssertDone(FlushActivity, null, (PileNameTag, "shop"));
        Assert.Equal(3, seen.Names.Length);
    }

    [Fact]
    public void A_flush_that_writes_the_segments_has_a_checkpoint()
    {
        using Pile pile = Open();
        for (int i = 0; i < 60; i++)
            pile.Put(new byte[50_000]);
        using var seen = new SeenActivities();
        pile.Flush();
        output.WriteLine(seen.ToString());
        seen.AssertDone(FlushActivity, null, (PileNameTag, "shop"));
        seen.AssertDone(CheckpointActivity, FlushActivity, (PileNameTag, "shop"));
        Assert.InRange(seen.Single(CheckpointActivity).Duration, TimeSpan.FromTicks(1), TimeSpan.MaxValue);
    }

    /// <summary>It is no part of what opened the pile, which may be over for long.</summary>
    [Fact]
    public void A_flush_by_interval_is_part_of_nothing()
    {
        string name = $"by-interval-{Guid.NewGuid():n}";
        var roots = new ConcurrentQueue<bool>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == ActivitySourceName,
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity =>
            {
                if (activity.OperationName == FlushActivity && Equals(activity.GetTagItem(PileNameTag), name))
                    roots.Enqueue(activity.ParentSpanId == default);
            },
        };
        ActivitySource.AddActivityListener(listener);
        using var seen = new SeenActivities();
        using Pile pile = Pile.Open(
            _temporary.Pile, new PileOptions { Name = name, SegmentBytes = 4 << 20, FlushInterval = TimeSpan.FromMilliseconds(5) });
        Eventually.True(() => roots.Count >= 2);
        Assert.DoesNotContain(false, roots);
    }

    [Fact]
    public void A_flush_that_fails_says_so_with_its_checkpoint()
    {
        bool fails = false;
        using Pile pile = Open(path =>
        {
            if (Volatile.Read(ref fails) && path.Contains("segment", StringComparison.Ordinal))
                throw new IOException("The device is away.");
        });
        for (int i = 0; i < 60; i++)
            pile.Put(new byte[50_000]);
        using var seen = new SeenActivities();
        Volatile.Write(ref fails, true);
        PileStorageException failure = Assert.Throws<PileStorageException>(() => pile.Flush());
        Volatile.Write(ref fails, false);
        seen.AssertFailed(FlushActivity, null, failure, (PileNameTag, "shop"));
        seen.AssertFailed(CheckpointActivity, FlushActivity, failure, (PileNameTag, "shop"));
    }

    [Fact]
    public void An_opening_that_fails_says_so()
    {
        using Pile pile = Open();
        using var seen = new SeenActivities();
        PileStorageException failure = Assert.Throws<PileStorageException>(() => Open());
        seen.AssertFailed(OpenActivity, null, failure, (PileNameTag, "shop"));
    }

    [Fact]
    public void Reads_and_puts_are_no_activities()
    {
        using Pile pile = Open();
        using var seen = new SeenActivities();
        PilePointer pointer = pile.Put("x");
        Assert.Equal("x", pile.Get(pointer));
        pile.Replace(pointer, "y");
        pile.Delete(pointer);
        Assert.Empty(seen.Names);
    }

    /// <summary>Of a listener, which is the application's code, and may use the pile.</summary>
    [Fact]
    public void A_listener_may_use_the_pile_that_it_hears_of()
    {
        using Pile pile = Open();
        int calls = 0;
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == ActivitySourceName,
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStarted = Use,
            ActivityStopped = Use,
        };
        ActivitySource.AddActivityListener(listener);
        for (int i = 0; i < 60; i++)
            pile.Put(new byte[50_000]);
        pile.Flush();
        Assert.Equal(4, calls); // the flush and its checkpoint

        void Use(Activity activity)
        {
            if (Equals(activity.GetTagItem(PileNameTag), "shop") && !pile.IsDisposed && calls < 4)
            {
                calls++;
                // Another thread would wait for a lock that this one holds.
                var other = new Thread(() => pile.Put($"{pile.Statistics.ObjectCount}"));
                other.Start();
                Assert.True(other.Join(Eventually.Timeout));
                if (calls == 4)
                    pile.Flush();
            }
        }
    }

    private Pile Open(Action<string>? syncing = null) => Pile.Open(_temporary.Pile, new PileOptions
    {
        Name = "shop", SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, Warmup = PileWarmup.Touch, Syncing = syncing,
    });
}

/// <summary>Alone: any other test may listen.</summary>
[Collection(AloneCollection.Name)]
public sealed class UnheardActivityTests
{
    [Fact]
    public void Activities_that_nobody_hears_make_no_object()
    {
        Use(1_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Use(10_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private static void Use(int times)
    {
        for (int i = 0; i < times; i++)
        {
            Assert.Null(PileActivity.Start(FlushActivity, PileNameTag, "shop"));
            PileActivity.Record(CheckpointActivity, PileNameTag, "shop", PastActivity.Begin());
        }
    }
}
