using System;
using System.Threading.Tasks;

namespace BigPile.Tests.Durability;

/// <summary>A read of a pile waits neither for a flush at work nor for what blocks writers.</summary>
public sealed class ReadBesideFlushTests : IDisposable
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_goes_on_at_each_sync_of_a_flush(bool isCheckpoint)
    {
        Action? atSync = null;
        using Pile pile = Pile.Open(_directory.Path, new PileOptions
        {
            SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, Syncing = _ => atSync?.Invoke(), Synced = _ => atSync?.Invoke(),
        });
        PilePointer pointer = pile.Put("flushed");
        pile.Flush();
        PilePointer changed = pile.Put("changed");
        if (isCheckpoint) // more than the log takes
            pile.Put(new byte[2 << 20]);
        int syncs = 0;
        atSync = () =>
        {
            syncs++;
            AssertReads(pile, pointer, "flushed");
            AssertReads(pile, changed, "changed");
        };
        pile.Flush();
        atSync = null;
        Assert.InRange(syncs, 1, int.MaxValue);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_goes_on_while_writers_are_blocked(bool isMapped)
    {
        using Pile pile = isMapped ? Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20 }) : new Pile();
        PilePointer pointer = pile.Put("there");
        Task? put = null;
        pile.Blocks.Barrier.RunExclusive(() =>
        {
            put = SideBySide.Start(() => pile.Put("waits"));
            AssertReads(pile, pointer, "there");
            Assert.False(put.IsCompleted); // the control: a put waits
        });
        Assert.True(put!.Wait(MaxWait));
    }

    private static void AssertReads(Pile pile, PilePointer pointer, string text)
    {
        Task<bool> read = SideBySide.Start(() => pile.Get<string>(pointer) == text && pile.SizeOf(pointer) > 0);
        Assert.True(read.Wait(MaxWait), "the read waits");
        Assert.True(read.Result);
    }
}
