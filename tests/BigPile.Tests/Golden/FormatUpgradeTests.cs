using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Tests.Durability;
using Microsoft.Extensions.Logging;

namespace BigPile.Tests.Golden;

/// <summary>A pile of an earlier format becomes one of the present, block by block.</summary>
public sealed class FormatUpgradeTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();
    private readonly string _directory;

    public FormatUpgradeTests() => _directory = Path.Combine(_temporary.Path, "opened");

    public void Dispose() => _temporary.Dispose();

    [Fact]
    public void Blocks_are_read_and_verified_by_the_old_sum_and_get_the_new_one_when_they_are_replaced_or_compacted()
    {
        Dictionary<PilePointer, int> live = Extract(GoldenPile.Closed);
        PileVerification before = Pile.VerifyDirectory(_directory);
        Assert.InRange(before.LegacyChecksumCount, live.Count, before.BlockCount); // a link has no checksum of its own
        long compacted;
        using (Pile pile = Open(GoldenPile.Boot))
        {
            Assert.All(live, pair => Assert.True(GoldenValues.IsSame(GoldenValues.Of(pair.Value), pile.Get(pair.Key))));
            long? links = pile.Statistics.LinkCount;
            pile.Compact();
            compacted = pile.Verify().LegacyChecksumCount;
            Assert.Equal(before.LegacyChecksumCount - links, compacted);
            foreach (PilePointer pointer in live.Keys.Take(live.Count / 2))
                pile.Replace(pointer, pile.Get(pointer));
            long half = pile.Verify().LegacyChecksumCount;
            Assert.InRange(half, 1, compacted - 1);
            foreach (PilePointer pointer in live.Keys)
                pile.Replace(pointer, pile.Get(pointer));
            pile.Flush();
            Assert.All(live, pair => Assert.True(GoldenValues.IsSame(GoldenValues.Of(pair.Value), pile.Get(pair.Key))));
        }
        PileVerification after = Pile.VerifyDirectory(_directory);
        Assert.True(after.IsSound, string.Join("; ", after.Faults));
        Assert.Equal(0, after.LegacyChecksumCount);
    }

    /// <summary>An old block that is damaged so that its sum sees it is not served, though it may match either of two.</summary>
    [Fact]
    public void A_flipped_bit_in_an_old_block_is_found()
    {
        Dictionary<PilePointer, int> live = Extract(GoldenPile.Closed);
        string path = Path.Combine(_directory, "segment-000000");
        byte[] segment = File.ReadAllBytes(path);
        PilePointer[] damaged = [.. live.Keys.Where(static pointer => IsInFirst(pointer) && pointer.Address % 3 == 0).Take(20)];
        foreach (PilePointer pointer in damaged)
            segment[(int)pointer.Address * 8 + BlockHeader.SizeBytes] ^= 0x10;
        File.WriteAllBytes(path, segment);
        Assert.True(Pile.VerifyDirectory(_directory).FaultCount >= damaged.Length / 2); // a link's own bytes have no meaning
        using Pile pile = Open(GoldenPile.Boot);
        foreach ((PilePointer pointer, int number) in live)
        {
            try
            {
                Assert.True(GoldenValues.IsSame(GoldenValues.Of(number), pile.Get(pointer)), $"{pointer} is served wrong");
            }
            catch (PileException) // found by the read, or by the examination, which drops it
            {
                Assert.Contains(pointer, damaged);
            }
        }
    }

    /// <summary>Each header of a block, and each run's: what formats 1 to 6 left zero elsewhere tells it.</summary>
    [Fact]
    public void A_lost_header_of_an_old_pile_is_reported()
    {
        Dictionary<PilePointer, int> live = Extract(GoldenPile.Closed);
        string path = Path.Combine(_directory, "segment-000000");
        byte[] segment = File.ReadAllBytes(path);
        foreach (PilePointer pointer in live.Keys.Where(static pointer => IsInFirst(pointer) && pointer.Address % 31 == 0))
        {
            Span<byte> header = segment.AsSpan((int)pointer.Address * 8, BlockHeader.SizeBytes);
            byte[] kept = header.ToArray();
            header.Clear();
            File.WriteAllBytes(path, segment);
            kept.CopyTo(header);
            Assert.False(Pile.VerifyDirectory(_directory).IsSound, $"{pointer} is lost, and nobody says so");
        }
    }

    /// <summary>Each page of an old pile whose word is lost, or all of whose bytes are.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_lost_page_of_an_old_pile_is_reported(bool losesBytes)
    {
        Dictionary<PilePointer, int> live = Extract(GoldenPile.Closed);
        string path = Path.Combine(_directory, "segment-000000");
        byte[] segment = File.ReadAllBytes(path);
        foreach (int page in live.Keys.Where(IsInFirst).Select(static pointer => (int)(pointer.Address / 8192)).Distinct())
        {
            Span<byte> lost = losesBytes
                ? segment.AsSpan(page * SizeClasses.PageBytes, SizeClasses.PageBytes)
                : segment.AsSpan(SegmentHead.SizeBytes + page * sizeof(ulong), sizeof(ulong));
            byte[] kept = lost.ToArray();
            lost.Clear();
            File.WriteAllBytes(path, segment);
            kept.CopyTo(lost);
            Assert.False(Pile.VerifyDirectory(_directory).IsSound, $"page {page} is lost, and nobody says so");
        }
    }

    [Fact]
    public void A_pile_that_was_killed_while_its_format_was_stated_opens()
    {
        Dictionary<PilePointer, int> live = Extract(GoldenPile.Killed);
        string path = Path.Combine(_directory, PileDirectory.SuperblockName);
        byte[] former = File.ReadAllBytes(path);
        Superblocks.Change(_directory, static _ => { });
        byte[] present = File.ReadAllBytes(path);
        foreach (int written in new[] { 0, SuperblockFile.CopyBytes })
        {
            byte[] half = [.. former];
            present.AsSpan(written, SuperblockFile.CopyBytes).CopyTo(half.AsSpan(written));
            File.WriteAllBytes(path, half);
            Assert.True(Superblocks.Read(_directory).Features.Has(Feature.LegacyBlockChecksums));
        }
        using Pile pile = Open(GoldenPile.Boot);
        Assert.All(live, pair => Assert.True(GoldenValues.IsSame(GoldenValues.Of(pair.Value), pile.Get(pair.Key))));
        pile.Recovery.Completion.Wait();
        Assert.Equal(0, pile.Recovery.FaultCount);
    }

    /// <summary>Reading changes nothing, so an earlier version can open the pile afterwards.</summary>
    [Fact]
    public void Reading_leaves_the_format()
    {
        Extract(GoldenPile.Closed);
        using (Pile.Open(_directory, GoldenPile.OptionsFor(GoldenPile.Boot) with { ReadOnly = true }))
            Assert.Equal(5, Superblocks.Read(_directory).Format);
        Open(GoldenPile.Boot).Dispose();
        Assert.Equal(SuperblockState.CurrentFormat, Superblocks.Read(_directory).Format);
    }

    [Fact]
    public void A_format_is_raised_with_a_word_and_not_where_that_is_refused()
    {
        Extract(GoldenPile.Closed);
        byte[] before = File.ReadAllBytes(Path.Combine(_directory, PileDirectory.SuperblockName));
        PileStorageException refused = Assert.Throws<PileStorageException>(
            () => Pile.Open(_directory, GoldenPile.OptionsFor(GoldenPile.Boot) with { UpgradeFormat = false }));
        Assert.Contains("is of format 5; this version writes format 7", refused.Message, StringComparison.Ordinal);
        Assert.Equal(before, File.ReadAllBytes(Path.Combine(_directory, PileDirectory.SuperblockName)));
        using var log = new KeptLog(LogLevel.Trace);
        using (Pile.Open(_directory, GoldenPile.OptionsFor(GoldenPile.Boot) with { Logger = log }))
            Assert.Single(log.Lines, static line => line.Contains("was of format 5, and is of format 7", StringComparison.Ordinal));
        log.Lines.Clear();
        using (Pile.Open(_directory, GoldenPile.OptionsFor(GoldenPile.Boot) with { Logger = log, UpgradeFormat = false }))
            Assert.DoesNotContain(log.Lines, static line => line.Contains("format", StringComparison.Ordinal));
    }

    private static bool IsInFirst(PilePointer pointer) => pointer.Address < (4 << 20) / 8;

    private Pile Open(Guid boot) =>
        Pile.Open(_directory, GoldenPile.OptionsFor(boot) with { Checksums = PileChecksums.AtEveryRead });

    private Dictionary<PilePointer, int> Extract(string kind)
    {
        string zip = Path.Combine(SourceTree.Root, "tests", "BigPile.Tests", "Golden", $"format-5-{kind}.zip");
        ZipFile.ExtractToDirectory(zip, _directory);
        return GoldenPile.ReadList(_directory).Where(static pair => pair.Value >= 0).ToDictionary();
    }
}
