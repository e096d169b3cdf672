using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Who waits for whom, step by step. A region counts as that of a thread, whichever thread here enters it.</summary>
public sealed class CriticalRegionTests
{
    private const int PassShift = 16;

    private readonly CriticalRegions _regions = new();

    [Fact]
    public void Only_leaving_the_outermost_region_is_a_pass()
    {
        CriticalRegion region = _regions.Register();
        for (int pass = 0; pass < 3; pass++)
        {
            Assert.Equal((false, false, (long)pass), (region.IsOpen, region.IsNested, region.PassCount));
            region.Enter();
            Assert.Equal((true, false, (long)pass), (region.IsOpen, region.IsNested, region.PassCount));
            region.Enter();
            region.Enter();
            region.Exit();
            Assert.Equal((true, true, (long)pass), (region.IsOpen, region.IsNested, region.PassCount));
            region.Exit();
            Assert.Equal((true, false, (long)pass), (region.IsOpen, region.IsNested, region.PassCount));
            region.Exit();
        }
        Assert.False(region.IsAwaited);
    }

    [Fact]
    public void A_wait_ends_when_the_outermost_region_is_left_though_the_next_one_is_open()
    {
        CriticalRegion region = _regions.Register();
        region.Enter();
        region.Enter();
        Task wait = StartWaitFor(region);
        region.Exit();
        Assert.True(region.IsAwaited);
        Assert.False(wait.IsCompleted);
        region.Exit();
        region.Enter();
        Eventually.True(() => wait.IsCompleted);
        Assert.False(region.IsAwaited);
        region.Exit();
    }

    [Fact]
    public void Only_who_entered_to_change_something_is_changing_until_the_outermost_region_ends()
    {
        CriticalRegion region = _regions.Register();
        CriticalRegion other = _regions.Register();
        region.Enter();
        Assert.Empty(_regions.Changing(other));
        region.EnterChanging();
        region.Exit();
        CriticalRegion.Visit visit = Assert.Single(_regions.Changing(other));
        Assert.True(visit.IsOf(region) && !visit.IsOf(other));
        Task wait = SideBySide.Start(visit.WaitUntilLeft);
        Eventually.True(() => region.IsAwaited);
        Assert.False(wait.IsCompleted);
        region.Exit();
        region.Enter();
        Eventually.True(() => wait.IsCompleted);
        Assert.False(visit.IsOf(region));
        Assert.Empty(_regions.Changing(other));
        region.Exit();
    }

    [Fact]
    public void A_wait_does_not_include_threads_that_register_meanwhile()
    {
        CriticalRegion awaited = _regions.Register();
        awaited.Enter();
        Task wait = StartWaitFor(awaited);
        CriticalRegion registered = _regions.Register();
        registered.Enter();
        awaited.Exit();
        Eventually.True(() => wait.IsCompleted);
        Assert.True(registered.IsOpen && !registered.IsAwaited);
    }

    [Fact]
    public void A_waiter_of_an_earlier_region_does_not_hide_that_the_present_one_is_awaited()
    {
        CriticalRegion region = _regions.Register();
        region.Enter();
        region.Exit();
        region.Enter();
        Task wait = StartWaitFor(region);
        AwaitedPassOf(region) = 1; // as one does that has seen the first region, and lost its processor until now
        Eventually.True(() => region.IsAwaited);
        region.Exit();
        Eventually.True(() => wait.IsCompleted);
    }

    [Theory]
    [InlineData(0x7FFF_FFFF_FFFFUL)]
    [InlineData(0x8000_0000_0000UL)]
    [InlineData(0xFFFF_FFFF_FFFFUL)]
    public void Passes_wrap_around_and_a_thread_that_stays_outside_is_not_waited_for(ulong passes)
    {
        CriticalRegion region = _regions.Register();
        StateOf(region) = passes << PassShift;
        region.Enter();
        Task wait = StartWaitFor(region);
        region.Exit();
        Eventually.True(() => wait.IsCompleted);
        Assert.Equal((long)(passes + 1 & ulong.MaxValue >> PassShift), region.PassCount);
        Assert.False(region.IsOpen);
    }

    private Task StartWaitFor(CriticalRegion region)
    {
        Task wait = SideBySide.Start(() => _regions.WaitForQuiescence(_regions.Register()));
        Eventually.True(() => region.IsAwaited);
        return wait;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref ulong StateOf(CriticalRegion region);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_awaitedPass")]
    private static extern ref ulong AwaitedPassOf(CriticalRegion region);
}
