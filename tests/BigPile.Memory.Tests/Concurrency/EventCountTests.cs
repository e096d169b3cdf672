using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

public sealed class EventCountTests
{
    private readonly EventCount _transfers = new();

    [Fact]
    public void A_transfer_is_under_way_or_counted()
    {
        int events = _transfers.Read();
        Assert.False(_transfers.MayHaveMissed(events));
        _transfers.Begin();
        Assert.Equal((true, false, true), StateSince(events));
        _transfers.End();
        Assert.Equal((false, true, true), StateSince(events));
        Assert.Equal((false, false, false), StateSince(_transfers.Read()));
    }

    [Fact]
    public void Transfers_overlap()
    {
        _transfers.Begin();
        _transfers.Begin();
        int events = _transfers.Read();
        _transfers.End();
        Assert.Equal((true, true, true), StateSince(events));
        events = _transfers.Read();
        _transfers.End();
        Assert.Equal((false, true, true), StateSince(events));
    }

    [Fact]
    public void The_count_wraps_around()
    {
        EndedOf(_transfers) = int.MaxValue;
        int events = _transfers.Read();
        _transfers.Begin();
        _transfers.End();
        Assert.Equal(int.MinValue, _transfers.Read());
        Assert.True(_transfers.HasAdvanced(events));
    }

    [Fact]
    public void A_wait_ends_with_the_last_transfer()
    {
        _transfers.Wait();
        _transfers.Begin();
        Task wait = SideBySide.Start(_transfers.Wait);
        _transfers.End();
        Eventually.True(() => wait.IsCompleted);
    }

    private (bool IsUnderWay, bool HasAdvanced, bool MayHaveMissed) StateSince(int events) =>
        (_transfers.IsUnderWay, _transfers.HasAdvanced(events), _transfers.MayHaveMissed(events));

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ended")]
    private static extern ref int EndedOf(EventCount transfers);
}
