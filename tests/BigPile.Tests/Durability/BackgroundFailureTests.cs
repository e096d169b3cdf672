using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Tests.Durability;

/// <summary>What a mapped pile does in the background fails: process, pile and closing go on, and the statistics say so.</summary>
public sealed class BackgroundFailureTests : DurabilityTest
{
    public static TheoryData<Exception> Failures =>
    [
        new UnauthorizedAccessException("denied"),
        new DirectoryNotFoundException("gone"),
        new IOException("no space"),
        new OutOfMemoryException("no memory"),
    ];

    [Theory]
    [MemberData(nameof(Failures))]
    public void A_flush_by_interval_that_fails_is_shown_and_the_next_one_comes(Exception thrown)
    {
        var time = new ManualTime();
        bool isBroken = false;
        using Pile pile = Open(options => options with
        {
            FlushInterval = TimeSpan.FromSeconds(5),
            TimeProvider = time,
            Synced = path =>
            {
                if (isBroken)
                    throw thrown;
                Files.Synced(path);
            },
        });
        pile.Put("y"); // makes the segment
        pile.Flush();
        isBroken = true;
        PilePointer pointer = pile.Put("x");
        time.Advance(TimeSpan.FromSeconds(5)); // on this thread: what leaves it would end the test
        time.Advance(TimeSpan.FromSeconds(5));
        isBroken = false;
        Assert.Equal(2, pile.Statistics.BackgroundFailureCount);
        Assert.Contains(thrown.Message, pile.Statistics.LastBackgroundFailure, StringComparison.Ordinal);
        time.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(2, pile.Statistics.BackgroundFailureCount);
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.Equal("x", image.Get(pointer));
    }

    [Fact]
    public async Task A_walk_that_fails_keeps_nobody_from_closing()
    {
        Fill();
        var logger = new BackgroundWorkTests.RecordingLogger { Thrown = new InvalidOperationException("the log is full") };
        Pile pile = Open(options => options with { Logger = logger });
        await pile.Recovery.Completion;
        Assert.Equal(2, pile.Statistics.BackgroundFailureCount); // the first one when the limit was logged, at the opening
        Assert.StartsWith("recover", pile.Statistics.LastBackgroundFailure, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("the log is full", pile.Statistics.LastBackgroundFailure, StringComparison.Ordinal);
        pile.Recovery.Pause();
        pile.Dispose();
        Open().Dispose(); // its lock is free
    }

    [Fact]
    public async Task A_listener_of_the_walk_may_close_the_pile()
    {
        Fill();
        Pile? pile = null;
        using var isOpen = new ManualResetEventSlim();
        var logger = new BackgroundWorkTests.RecordingLogger();
        int opening = Environment.CurrentManagedThreadId;
        logger.Told = () =>
        {
            if (Environment.CurrentManagedThreadId == opening)
                return; // the limit is logged on the thread that opens
            isOpen.Wait();
            pile!.Dispose(); // waits for the walk, on whose thread it is
        };
        pile = Open(options => options with { Logger = logger });
        Task walk = pile.Recovery.Completion;
        isOpen.Set();
        await walk.WaitAsync(Eventually.Timeout);
        Assert.Throws<ObjectDisposedException>(() => pile.Statistics);
        Open().Dispose();
    }

    private void Fill()
    {
        using Pile pile = Open();
        for (int i = 0; i < 1_000; i++)
            pile.Put(new byte[1_000]);
    }
}
