using System;
using System.Runtime.Versioning;
using BigPile.Memory.Limits;
using Microsoft.Extensions.Logging;

namespace BigPile.Tests;

/// <summary>A pile says at its opening what it takes at most and why, and keeps to it.</summary>
public sealed class PileLimitLogTests : IDisposable
{
    private const long SegmentBytes = 4 << 20;
    private const long LeastShareBytes = 8_585_216; // 0.2 % of 4 GiB in whole pages

    private readonly MadeSystem _system = new();
    private readonly TemporaryDirectory _directory = new();
    private readonly KeptLog _log = new(LogLevel.Information);
    private readonly KeptLog _warnings = new();

    public void Dispose()
    {
        _system.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void In_a_small_container_the_default_is_kept_and_the_refusal_names_it(StoreKind store)
    {
        using Pile pile = new(Options(memoryShare: 0.002) with { Store = store, Logger = _log });
        Assert.Equal(
            "The pile 'pile' takes at most 8,585,216 bytes: 0.2 % of the 4,294,967,296 bytes that the control group /x allows "
            + "(memory.max); 4,294,000,000 bytes of memory are available now", Assert.Single(_log.Lines));
        Assert.Equal((LeastShareBytes, SegmentBytes), (pile.Statistics.LimitBytes, pile.Statistics.SegmentBytes));
        PileFullException full = Fill(pile);
        Assert.InRange(pile.Statistics.ReservedBytes, LeastShareBytes - (1 << 20), LeastShareBytes);
        Assert.Contains(
            "and the limit is 8,585,216 bytes, 0.2 % of the 4,294,967,296 bytes that the control group /x allows (memory.max). Set "
            + "PileOptions.MaxBytes (Pile:MaxBytes of a server), or raise MemoryShare, or delete objects.", full.Message,
            StringComparison.Ordinal);
    }

    /// <summary>Segments stay as large as they are, unless one would be larger than the limit, rounded up.</summary>
    [Theory]
    [InlineData(0.5, 256)]
    [InlineData(0.05, 256)]
    [InlineData(0.02, 128)]
    public void Segments_are_only_smaller_where_the_limit_is(double memoryShare, int segmentMebibytes)
    {
        using Pile pile = new(Options(memoryShare) with { SegmentBytes = PileOptions.DefaultSegmentBytes });
        Assert.Equal((long)segmentMebibytes << 20, pile.Statistics.SegmentBytes);
    }

    [Fact]
    public void A_pile_in_files_has_no_limit_and_says_why()
    {
        using Pile pile = Pile.Open(_directory.Pile, Options() with { Logger = _log });
        Assert.Equal(
            "The pile 'pile' has no limit: its pages are in files, and the system drops them from memory when it is short",
            Assert.Single(_log.Lines));
        Assert.Equal(long.MaxValue, pile.Statistics.LimitBytes);
        pile.Put(new byte[12 << 20]);
        using Pile reader = Pile.Open(_directory.Pile, new PileOptions { ReadOnly = true, Logger = _log });
        Assert.Single(_log.Lines);
    }

    [Fact]
    public void A_limit_that_was_set_is_said_too()
    {
        using (new Pile(Options() with { MaxBytes = 8 << 20, Logger = _log }))
        {
        }
        using (new Pile(Options() with { MaxBytes = long.MaxValue, Logger = _log }))
        {
        }
        Assert.Equal(
            [
                "The pile 'pile' takes at most 8,388,608 bytes: PileOptions.MaxBytes (Pile:MaxBytes of a server); 4,294,000,000 bytes of "
                + "memory are available now",
                "The pile 'pile' has no limit: PileOptions.MaxBytes (Pile:MaxBytes of a server); 4,294,000,000 bytes of memory are "
                + "available now",
            ], _log.Lines);
    }

    [Fact]
    public void A_limit_above_the_memory_is_warned_of()
    {
        using (new Pile(Options() with { MaxBytes = (4L << 30) + 65_536, Logger = _warnings }))
        {
        }
        Assert.Equal(
            "The pile 'pile' may take 4,295,032,832 bytes, more than the 4,294,967,296 bytes that the control group /x allows "
            + "(memory.max): the process may end before the pile is full. Lower PileOptions.MaxBytes (Pile:MaxBytes of a "
            + "server), or leave it out",
            Assert.Single(_warnings.Lines));
        using (new Pile(Options() with { MaxBytes = 4L << 30, Logger = _warnings }))
        {
        }
        using (Pile.Open(_directory.Pile, Options() with { MaxBytes = (4L << 30) + 65_536, Logger = _warnings }))
        {
        }
        Assert.Single(_warnings.Lines);
    }

    [Fact]
    public void A_pile_in_files_that_holds_more_than_its_limit_opens_with_what_it_holds()
    {
        using (Pile pile = Pile.Open(_directory.Pile, Options()))
            pile.Put(new byte[14 << 20]);
        AssertFull(
            () => Pile.Open(_directory.Pile, Options() with { MaxBytes = 8 << 20, Logger = _warnings }),
            "8,388,608 bytes, PileOptions.MaxBytes (Pile:MaxBytes of a server)");
    }

    [Fact, SupportedOSPlatform("linux")]
    public void A_shared_pile_that_holds_more_than_its_default_opens_with_what_it_holds()
    {
        string name = "test-" + Guid.NewGuid().ToString("N");
        using (Pile pile = Pile.Open(name, Options() with { Shared = true }))
            pile.Put(new byte[14 << 20]);
        try
        {
            AssertFull(
                () => Pile.Open(name, Options(memoryShare: 0.002) with { Shared = true, Logger = _warnings }),
                "8,585,216 bytes, 0.2 % of the 4,294,967,296 bytes that the control group /x allows (memory.max)", remedy: "Set");
        }
        finally
        {
            SharedPile.TryRemove(name);
        }
    }

    private void AssertFull(Func<Pile> open, string above, string remedy = "Raise")
    {
        using Pile pile = open();
        PileStatistics opened = pile.Statistics;
        Assert.Equal(opened.ReservedBytes, opened.LimitBytes);
        string refusal = $"the limit is {opened.LimitBytes:N0} bytes, which the pile had when it was opened, above {above}. {remedy}";
        Assert.Contains($"can't grow: {refusal}", Assert.Single(_warnings.Lines), StringComparison.Ordinal);
        Assert.EndsWith(", or delete objects, and compact it", Assert.Single(_warnings.Lines), StringComparison.Ordinal);
        Assert.Contains(refusal, Fill(pile).Message, StringComparison.Ordinal);
        Assert.Equal(opened.ReservedBytes, pile.Statistics.ReservedBytes);
    }

    private static PileFullException Fill(Pile pile) => Assert.Throws<PileFullException>(() =>
    {
        for (int i = 0; i < 1000; i++)
            pile.Put(new byte[500_000]);
    });

    // The shares are small since the heap that the tests have taken counts.
    private PileOptions Options(double? memoryShare = null)
    {
        _system.InVersion2("/x").Group2("/x", "memory.max", "4294967296").Group2("/x", "memory.current", "967296");
        return new PileOptions { SegmentBytes = SegmentBytes, Memory = MemoryLimit.Read(_system.Root), MemoryShare = memoryShare };
    }
}
