using System;
using System.Collections.Generic;
using BigPile.Allocation;
using BigPile.Lifecycle;
using BigPile.Memory.Limits;

namespace BigPile.Tests;

/// <summary>The limit of a pile follows from its options, the memory there is, and what the managed heap needs of that.</summary>
public sealed class PileLimitTests : IDisposable
{
    private const long Gibibyte = 1L << 30;
    private const long Mebibyte = 1L << 20;
    private const long SeventyPercent = 751_566_848; // of a gibibyte, in whole pages

    private static readonly ManagedHeap Small = new(LimitBytes: null, IsConfigured: false, CommittedBytes: 5 * Mebibyte);

    private readonly MadeSystem _system = new MadeSystem().InVersion2("/x").Group2("/x", "memory.max", "1073741824");

    public void Dispose() => _system.Dispose();

    [Fact]
    public void By_default_a_pile_in_memory_takes_its_share_in_whole_pages()
    {
        Assert.Equal(SeventyPercent, Of(new PileOptions(), Small).Bytes);
        Assert.Equal(SeventyPercent, Of(new PileOptions { Store = StoreKind.Managed }, Small).Bytes);
        Assert.Equal(SeventyPercent, Of(new PileOptions { Shared = true, Directory = "x" }, Small).Bytes);
        Assert.Equal(Gibibyte / 4, Of(new PileOptions { MemoryShare = 0.25 }, Small).Bytes);
        Assert.Equal(
            "the limit is 751,566,848 bytes, 70 % of the 1,073,741,824 bytes that the control group /x allows (memory.max). "
            + "Set PileOptions.MaxBytes (Pile:MaxBytes of a server), or raise MemoryShare, or delete objects",
            Of(new PileOptions(), Small).Refusal);
    }

    [Fact]
    public void A_pile_in_files_and_one_that_is_only_read_have_none()
    {
        Assert.Equal(long.MaxValue, Of(new PileOptions { Directory = "x" }, Small).Bytes);
        Assert.Equal(long.MaxValue, Of(new PileOptions { Directory = "x", ReadOnly = true }, Small).Bytes);
        Assert.Equal(long.MaxValue, Of(new PileOptions { Directory = "x", Shared = true, ReadOnly = true }, Small).Bytes);
    }

    [Theory]
    [InlineData(5 * Mebibyte)]
    [InlineData(5 * Gibibyte)]
    [InlineData(long.MaxValue)]
    public void A_limit_that_is_set_counts(long maxBytes)
    {
        foreach (PileOptions options in new PileOptions[] { new(), new() { Store = StoreKind.Managed }, new() { Directory = "x" } })
            Assert.Equal(maxBytes, Of(options with { MaxBytes = maxBytes }, Small).Bytes);
        Assert.Equal(
            $"the limit is {maxBytes:N0} bytes. Raise PileOptions.MaxBytes (Pile:MaxBytes of a server), or delete objects",
            Of(new PileOptions { MaxBytes = maxBytes }, Small).Refusal);
    }

    /// <summary>The limit that the runtime sets its heap in a container is an upper bound, and no plan.</summary>
    [Fact]
    public void The_heap_keeps_what_was_set_for_it_and_else_what_it_has_taken()
    {
        var container = new ManagedHeap(LimitBytes: 768 * Mebibyte, IsConfigured: false, CommittedBytes: 5 * Mebibyte);
        Assert.Equal(SeventyPercent, Of(new PileOptions(), container).Bytes);
        Assert.Equal(Gibibyte - 5 * Mebibyte, Of(new PileOptions { MemoryShare = 1 }, container).Bytes);
        Assert.Equal(Gibibyte - 500 * Mebibyte, Of(new PileOptions(), container with { CommittedBytes = 500 * Mebibyte }).Bytes);
        PileLimit limit = Of(new PileOptions(), container with { IsConfigured = true });
        Assert.Equal(256 * Mebibyte, limit.Bytes);
        Assert.Equal(
            "the limit is 268,435,456 bytes, what is left of the 1,073,741,824 bytes that the control group /x allows (memory.max) beside "
            + "the 805,306,368 bytes that the managed heap may take (GCHeapHardLimit). Set PileOptions.MaxBytes "
            + "(Pile:MaxBytes of a server), or lower GCHeapHardLimit, or delete objects", limit.Refusal);
    }

    [Fact]
    public void A_managed_pile_is_in_the_heap_and_shares_its_limit()
    {
        var options = new PileOptions { Store = StoreKind.Managed };
        PileLimit limit = Of(options, new ManagedHeap(LimitBytes: 100 * Mebibyte, IsConfigured: true, CommittedBytes: 90 * Mebibyte));
        Assert.Equal(70 * Mebibyte, limit.Bytes);
        Assert.Contains(
            "70 % of the 104,857,600 bytes that the managed heap may take (GCHeapHardLimit)", limit.Refusal, StringComparison.Ordinal);
        Assert.Equal(SeventyPercent, Of(options, new ManagedHeap(LimitBytes: 2 * Gibibyte, IsConfigured: true, CommittedBytes: 0)).Bytes);
    }

    [Fact]
    public void Where_hardly_anything_is_left_the_remedies_are_told()
    {
        ManagedHeap all = new(LimitBytes: 2 * Gibibyte, IsConfigured: true, CommittedBytes: 0);
        ArgumentException told = Assert.Throws<ArgumentException>(() => Of(new PileOptions(), all));
        Assert.StartsWith(
            "The limit of the pile, what is left of the 1,073,741,824 bytes that the control group /x allows (memory.max) beside the "
            + "2,147,483,648 bytes that the managed heap may take (GCHeapHardLimit), is 0 bytes, less than the least of 1,048,576. Set "
            + "PileOptions.MaxBytes (Pile:MaxBytes of a server), or lower GCHeapHardLimit, or give the process more memory.", told.Message,
            StringComparison.Ordinal);
        Assert.StartsWith(
            "The limit of the pile, 0.09 % of the 1,073,741,824 bytes that the control group /x allows (memory.max), is 917,504 bytes, "
            + "less than the least of 1,048,576. Set PileOptions.MaxBytes (Pile:MaxBytes of a server), or raise MemoryShare, or give the "
            + "process more memory.",
            Assert.Throws<ArgumentException>(() => Of(new PileOptions { MemoryShare = 0.000_9 }, Small)).Message, StringComparison.Ordinal);
        Assert.StartsWith(
            "The limit of the pile, 0.000001 % of the ",
            Assert.Throws<ArgumentException>(() => Of(new PileOptions { MemoryShare = 0.000_000_01 }, Small)).Message,
            StringComparison.Ordinal);
        Assert.Equal(Mebibyte, Of(new PileOptions { MemoryShare = 0.001 }, Small).Bytes);
        Assert.Equal(3 * Mebibyte, Of(new PileOptions { MaxBytes = 3 * Mebibyte }, all).Bytes);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-0.5)]
    [InlineData(1.000_001)]
    [InlineData(double.NaN)]
    public void A_share_is_above_0_and_at_most_1(double share)
    {
        ArgumentException told = Assert.Throws<ArgumentException>(() => new Pile(new PileOptions { MemoryShare = share }));
        Assert.Contains("PileOptions.MemoryShare is", told.Message, StringComparison.Ordinal);
        Assert.Contains("above 0 and at most 1", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_share_goes_neither_with_another_limit_nor_with_files()
    {
        ArgumentException told = Assert.Throws<ArgumentException>(
            () => new Pile(new PileOptions { MemoryShare = 0.5, MaxBytes = 5 * Mebibyte }));
        Assert.StartsWith(
            "PileOptions.MaxBytes is 5,242,880, and PileOptions.MemoryShare is 0.5; a pile has one limit: leave one of them out.",
            told.Message, StringComparison.Ordinal);
        told = Assert.Throws<ArgumentException>(() => Pile.Open("no such directory", new PileOptions { MemoryShare = 0.5 }));
        Assert.StartsWith(
            "PileOptions.MemoryShare is 0.5, and PileOptions.Directory puts the pile in files, which no part of the memory limits; set "
            + "PileOptions.MaxBytes, or leave both out for no limit.", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_there_is_never_above_the_limit()
    {
        PileLimit limit = Of(new PileOptions { Directory = "x", MaxBytes = 4 * Mebibyte }, Small);
        Assert.Same(limit, limit.ForHeld(4 * Mebibyte));
        Assert.Equal(5 * Mebibyte, limit.ForHeld(5 * Mebibyte).Bytes);
        Assert.Equal(
            "the limit is 5,242,880 bytes, which the pile had when it was opened, above 4,194,304 bytes, "
            + "PileOptions.MaxBytes (Pile:MaxBytes of a server). Raise PileOptions.MaxBytes (Pile:MaxBytes of a server), or delete objects",
            limit.ForHeld(5 * Mebibyte).Refusal);
    }

    /// <summary>No test sets a limit of its own heap, and all take some.</summary>
    [Fact]
    public void Of_this_process_the_heap_has_taken_some_and_no_limit_was_set()
    {
        ManagedHeap heap = ManagedHeap.Current();
        Assert.True(heap is { CommittedBytes: > 0, IsConfigured: false } && heap.LimitBytes is null or > 0, heap.ToString());
    }

    /// <summary>The runtime reads numbers of variables as hexadecimal, and takes 0 for no limit.</summary>
    [Theory]
    [InlineData("", false)]
    [InlineData("0", false)]
    [InlineData("0x0", false)]
    [InlineData("000", false)]
    [InlineData("C0000000", true)]
    [InlineData("0x30000000", true)]
    public void A_heap_limit_of_0_is_none(string variable, bool isSet)
    {
        var container = new Dictionary<string, object> { ["GCHeapHardLimit"] = 768 * Mebibyte };
        var heap = ManagedHeap.Of(container, name => name == "DOTNET_GCHeapHardLimit" ? variable : null, static _ => null, 0);
        Assert.Equal(new ManagedHeap(768 * Mebibyte, isSet, 0), heap);
    }

    [Fact]
    public void A_heap_limit_of_0_in_the_settings_is_none()
    {
        var container = new Dictionary<string, object> { ["GCHeapHardLimit"] = 768 * Mebibyte };
        foreach ((object setting, bool isSet) in new (object, bool)[]
        {
            ("0", false), (0, false), ("805306368", true), (0x30000000L, true),
        })
        {
            var heap = ManagedHeap.Of(container, static _ => null, name => name == "System.GC.HeapHardLimit" ? setting : null, 0);
            Assert.Equal(isSet, heap.IsConfigured);
        }
    }

    private PileLimit Of(PileOptions options, ManagedHeap heap) => LimitChoice.For(options, MemoryLimit.Read(_system.Root), heap);
}
