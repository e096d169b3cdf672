using System;
using System.Threading;
using BigPile.Memory.Concurrency;
using BigPile.Tests.Durability;

namespace BigPile.Tests.Inside;

/// <summary>Calls that would wait for their own thread are refused, and have changed nothing.</summary>
public sealed class RefusalTests : DurabilityTest
{
    public static TheoryData<string> Calls => ["dispose", "trim", "flush", "flush with progress", "compact", "open"];

    [Theory]
    [MemberData(nameof(Calls))]
    public void A_call_from_inside_is_refused_and_the_same_call_works_afterwards(string call)
    {
        Pile pile = Open(static options => options with { FlushInterval = TimeSpan.FromDays(1) });
        PilePointer kept = pile.Put("kept");
        PilePointer[] large = [pile.Put(new byte[3 << 20]), pile.Put(new byte[3 << 20]), pile.Put(new byte[3 << 20])];
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader();
        foreach (PilePointer pointer in large)
            pile.Delete(pointer); // gives nothing back: its caller is inside
        long reserved = pile.Statistics.ReservedBytes;
        try
        {
            InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => Make(call, pile));
            Assert.Contains("Do it once the call has returned", refused.Message, StringComparison.Ordinal);
            Assert.Equal(reserved, pile.Statistics.ReservedBytes);
        }
        finally
        {
            critical.Exit();
        }
        Assert.Equal("kept", pile.Get(kept));
        pile.Recovery.Resume(); // was not stopped for good
        Make(call, pile);
        if (call != "dispose")
        {
            pile.Trim();
            Assert.InRange(pile.Statistics.ReservedBytes, 1, reserved - 1);
            pile.Dispose();
        }
        using Pile again = Open();
        Assert.True(again.Recovery.WasClean);
        Assert.Equal("kept", again.Get(kept));
    }

    [Fact]
    public void A_lease_outlives_the_pile_and_keeps_its_directory_from_others_until_it_ends()
    {
        Pile pile = Open();
        byte[] value = NumberedBytes(3, 60_000);
        PileLease lease = pile.Lease(pile.Put(value));
        PileLease other = pile.Lease(pile.Put("other"));
        pile.Dispose();
        Assert.Contains("in use", Assert.Throws<PileStorageException>(() => Open()).Message, StringComparison.Ordinal);
        other.Dispose();
        Assert.Throws<PileStorageException>(() => Open());
        Assert.True(lease.Span.SequenceEqual(value));
        lease.Dispose();
        using Pile again = Open();
        Assert.True(again.Recovery.WasClean);
    }

    [Fact]
    public void A_lease_may_end_inside_a_call_while_others_wait_for_it()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(new byte[100]);
        PileLease lease = pile.Lease(pointer);
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader();
        using var began = new ManualResetEventSlim();
        var flush = new Thread(() =>
        {
            began.Set();
            pile.Flush(); // holds what a lease takes to end, and waits for this thread to leave
        });
        flush.Start();
        began.Wait();
        Thread.Yield();
        lease.Dispose();
        critical.Exit();
        flush.Join();
        Eventually.True(() => pile.LeaseCount == 0);
        pile.Delete(pointer);
        Assert.Equal(0, pile.Statistics.ObjectCount);
    }

    private static byte[] NumberedBytes(int seed, int length) => Noise.Of(length, seed);

    private void Make(string call, Pile pile)
    {
        switch (call)
        {
            case "dispose":
                pile.Dispose();
                break;
            case "trim":
                pile.Trim();
                break;
            case "flush":
                pile.Flush();
                break;
            case "flush with progress":
                pile.Flush(new Progress<PileProgress>());
                break;
            case "compact":
                pile.Compact();
                break;
            default:
                Pile.Open(OtherPath, new PileOptions { SegmentBytes = SegmentBytes }).Dispose();
                break;
        }
    }
}
