using System;
using System.IO;

namespace BigPile.Tests.Durability;

/// <summary>A flush is durable, and the process ends before its pending frees are released.</summary>
public sealed class FlushReleaseTests
{
    private const int FreedRunBytes = 200_000;

    /// <summary>What ends the process, or the machine.</summary>
    public enum End
    {
        Kill,
        PowerCut,
    }

    [Theory]
    [InlineData("log-", End.Kill)]
    [InlineData("log-", End.PowerCut)]
    [InlineData("superblock", End.Kill)]
    [InlineData("superblock", End.PowerCut)]
    public void What_the_flush_made_durable_is_there_and_pending_frees_are_released_by_the_next_flush(string lastSynced, End end)
    {
        using var scratch = new ScratchDirectory();
        bool isFlushing = false;
        PileOptions options = Options(DurabilityTest.FirstBoot) with
        {
            Synced = path =>
            {
                if (isFlushing && Path.GetFileName(path).StartsWith(lastSynced, StringComparison.Ordinal))
                    KilledPile.Copy(scratch.At("pile"), scratch.At("ended"));
                isFlushing &= !Directory.Exists(scratch.At("ended"));
            },
        };
        PilePointer[] freed;
        PilePointer replaced;
        PilePointer kept;
        using (Pile pile = Pile.Open(scratch.At("pile"), options))
        {
            PilePointer link = pile.Put("becomes a link");
            pile.Replace(link, new byte[2_000]);
            freed = [pile.Put(new byte[100]), pile.Put(new byte[FreedRunBytes]), link];
            replaced = pile.Put("old");
            kept = pile.Put("kept");
            pile.Flush();
            if (lastSynced == "superblock")
                pile.Engine.RequestCheckpoint();
            Array.ForEach(freed, pile.Delete);
            pile.Replace(replaced, new byte[1_000]);
            isFlushing = true;
            pile.Flush();
            Assert.False(isFlushing, $"The flush synced no {lastSynced}.");
        }
        using Pile next = Pile.Open(scratch.At("ended"), Options(end == End.Kill ? DurabilityTest.FirstBoot : DurabilityTest.NextBoot));
        Assert.DoesNotContain(freed, pointer => next.Contains(pointer));
        Assert.Equal(1_000, next.Get<byte[]>(replaced)!.Length);
        Assert.Equal("kept", next.Get<string>(kept));
        next.Recovery.Completion.Wait();
        Assert.Equal(0, next.Recovery.FaultCount);
        // A flush to the log leaves the epoch as it is, so all frees are pending again. A checkpoint ends it: then only the deleted link is
        // pending, whose free header is a shadow header.
        long pendingBytes = next.Engine.PendingFreeBytes;
        Assert.Equal((end, lastSynced) is (End.Kill, "log-"), pendingBytes > FreedRunBytes);
        Assert.Equal(end == End.Kill, pendingBytes != 0);
        next.Flush();
        Assert.Equal(0, next.Engine.PendingFreeBytes);
        Assert.True(next.Verify().IsSound);
    }

    private static PileOptions Options(Guid boot) => new()
    {
        SegmentBytes = DurabilityTest.SegmentBytes,
        FlushLogBytes = 1 << 20,
        BootId = boot,
    };
}
