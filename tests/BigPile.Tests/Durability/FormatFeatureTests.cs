using System;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>What a version does with a pile that makes use of what it does not know.</summary>
public sealed class FormatFeatureTests : DurabilityTest
{
    private readonly PilePointer _pointer;

    public FormatFeatureTests()
    {
        using Pile pile = Open();
        _pointer = pile.Put("kept");
    }

    [Fact]
    public void A_new_pile_makes_use_of_what_its_words_say()
    {
        Features features = Superblocks.Read(PilePath).Features;
        Assert.True(features.Has(Feature.Crc32CBlocks) && features.Has(Feature.WrittenPageWords));
        Assert.False(features.Has(Feature.LegacyBlockChecksums));
        foreach (FeatureWord word in Enum.GetValues<FeatureWord>())
            Assert.Null(features.Unknown(word));
    }

    [Fact]
    public void One_to_be_refused_is_refused_by_name()
    {
        Add(new Feature(FeatureWord.Refuse, 63, "folded-pages"));
        string refusal = Assert.Throws<PileStorageException>(() => Open()).Message;
        Assert.Contains("'folded-pages' (bit 63)", refusal, StringComparison.Ordinal);
        Assert.Contains("newer version", refusal, StringComparison.Ordinal);
        Assert.Contains("'folded-pages'", Assert.Throws<PileStorageException>(OpenForReading).Message, StringComparison.Ordinal);
        Assert.Contains(
            "'folded-pages'", Assert.Throws<PileStorageException>(() => Pile.VerifyDirectory(PilePath)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void One_that_is_only_to_be_read_is_read_and_not_written()
    {
        Add(new Feature(FeatureWord.ReadOnly, 31, "counted-slots"));
        byte[] before = File.ReadAllBytes(Path.Combine(PilePath, PileDirectory.SuperblockName));
        string refusal = Assert.Throws<PileStorageException>(() => Open()).Message;
        Assert.Contains("'counted-slots' (bit 31)", refusal, StringComparison.Ordinal);
        Assert.Contains("for reading only", refusal, StringComparison.Ordinal);
        OpenForReading();
        Assert.True(Pile.VerifyDirectory(PilePath).IsSound);
        Assert.Equal(before, File.ReadAllBytes(Path.Combine(PilePath, PileDirectory.SuperblockName)));
    }

    [Fact]
    public void One_that_may_be_ignored_is_ignored_and_kept()
    {
        var feature = new Feature(FeatureWord.Ignore, 7, "page-summaries");
        Add(feature);
        using (Pile pile = Open())
        {
            Assert.Equal("kept", pile.Get(_pointer));
            pile.Put("another");
        }
        Assert.Equal("'page-summaries' (bit 7)", Superblocks.Read(PilePath).Features.Unknown(FeatureWord.Ignore));
    }

    /// <summary>A later version may put further fields behind all others.</summary>
    [Fact]
    public void Fields_that_are_not_known_are_written_back()
    {
        AddField(0x1122334455667788);
        using (Pile pile = Open())
            pile.Put("another");
        byte[] place = File.ReadAllBytes(Path.Combine(PilePath, PileDirectory.SuperblockName));
        int contentBytes = BitConverter.ToInt32(place, 12);
        Assert.Equal(0x1122334455667788, BitConverter.ToInt64(place, contentBytes - sizeof(long)));
    }

    /// <summary>A name is bytes of a file that may be hostile: it does not reach a terminal, and is kept as it is.</summary>
    [Fact]
    public void A_name_of_any_bytes_is_kept_and_not_shown()
    {
        string unprintable = string.Concat(Enumerable.Range(0, 255).Select(static i => (char)(i * 3 % 256)));
        Add(new Feature(FeatureWord.Ignore, 9, unprintable));
        Open().Dispose();
        Assert.True(Superblocks.Read(PilePath).Features.Has(new Feature(FeatureWord.Ignore, 9, unprintable)));
        Add(new Feature(FeatureWord.Refuse, 9, "\u001b[2J\r\nx"));
        Assert.Contains("'?[2J??x' (bit 9)", Assert.Throws<PileStorageException>(() => Open()).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(-1, 10)]
    [InlineData(long.MaxValue, 10)]
    [InlineData(2, long.MaxValue - 3)]
    public void Numbers_that_no_pile_has_are_refused(long epoch, long sequence)
    {
        Superblocks.Change(PilePath, state => (state.LogEpoch, state.Sequence) = (epoch, sequence));
        Assert.Contains("which no pile has", Assert.Throws<PileStorageException>(() => Open()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_newer_format_is_refused_by_number()
    {
        string path = Path.Combine(PilePath, PileDirectory.SuperblockName);
        byte[] file = File.ReadAllBytes(path);
        file[8] = file[SuperblockFile.CopyBytes + 8] = 8;
        File.WriteAllBytes(path, file);
        Assert.Contains("is of format 8", Assert.Throws<PileStorageException>(() => Open()).Message, StringComparison.Ordinal);
    }

    /// <summary>Whatever a damaged place says of features, the other one counts.</summary>
    [Fact]
    public void Damaged_words_are_no_features()
    {
        string path = Path.Combine(PilePath, PileDirectory.SuperblockName);
        byte[] file = File.ReadAllBytes(path);
        file.AsSpan(40, 8).Fill(0xFF);
        File.WriteAllBytes(path, file);
        using Pile pile = Open();
        Assert.Equal("kept", pile.Get(_pointer));
        Assert.Equal(1, pile.Recovery.FaultCount);
    }

    private void OpenForReading()
    {
        using Pile pile = Open(static options => options with { ReadOnly = true });
        Assert.Equal("kept", pile.Get(_pointer));
    }

    private void Add(Feature feature) => Superblocks.Change(PilePath, state => state.Features = state.Features.With(feature));

    private void AddField(long value)
    {
        string path = Path.Combine(PilePath, PileDirectory.SuperblockName);
        byte[] file = File.ReadAllBytes(path);
        foreach (int at in new[] { 0, SuperblockFile.CopyBytes })
        {
            Span<byte> place = file.AsSpan(at);
            int contentBytes = BitConverter.ToInt32(place[12..]);
            BitConverter.TryWriteBytes(place[contentBytes..], value);
            BitConverter.TryWriteBytes(place[12..], contentBytes + sizeof(long));
            BitConverter.TryWriteBytes(
                place[(contentBytes + sizeof(long))..], Checksum.Of(place[..(contentBytes + sizeof(long))]));
        }
        File.WriteAllBytes(path, file);
    }
}
