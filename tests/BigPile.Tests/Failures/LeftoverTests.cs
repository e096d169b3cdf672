using System;
using System.IO;

namespace BigPile.Tests.Failures;

/// <summary>A directory without a superblock in which there are files of a pile is refused, and left as it is.</summary>
public sealed class LeftoverTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    private string PilePath => Path.Combine(_temporary.Path, "pile");

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(false, false, true)]
    [InlineData(true, false, true)]
    [InlineData(false, true, true)]
    [InlineData(true, true, true)]
    [InlineData(false, false, false)]
    [InlineData(true, false, false)]
    public void A_lost_superblock_makes_no_new_pile(bool isEmptied, bool readOnly, bool creates)
    {
        PilePointer pointer;
        using (Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20 }))
        {
            for (int i = 0; i < 100; i++)
                pile.Put(new byte[100_000]);
            pointer = pile.Put("kept");
        }
        string superblock = Path.Combine(PilePath, "superblock");
        byte[] kept = File.ReadAllBytes(superblock);
        if (isEmptied)
            File.WriteAllBytes(superblock, []);
        else
            File.Delete(superblock);
        var options = new PileOptions { ReadOnly = readOnly, CreateDirectory = creates };
        string message = Assert.Throws<PileStorageException>(() => Pile.Open(PilePath, options)).Message;
        Assert.Contains(superblock, message, StringComparison.Ordinal);
        Assert.Contains("segment-000000, segment-000001", message, StringComparison.Ordinal);
        Assert.Contains("Restore the superblock", message, StringComparison.Ordinal);
        File.WriteAllBytes(superblock, kept);
        using Pile again = Pile.Open(PilePath);
        Assert.Equal("kept", again.Get(pointer));
    }

    [Fact]
    public void A_catalog_without_a_superblock_is_refused_too()
    {
        using (Pile pile = Pile.Open(PilePath))
            pile.Delete(pile.Put(new System.Collections.Generic.List<int> { 1 }));
        File.Delete(Path.Combine(PilePath, "superblock"));
        foreach (string segment in Directory.GetFiles(PilePath, "segment-*"))
            File.Delete(segment);
        Assert.Contains("catalog", Assert.Throws<PileStorageException>(() => Pile.Open(PilePath)).Message, StringComparison.Ordinal);
    }

    /// <summary>What a kill left of the making of a pile is not in the way.</summary>
    [Fact]
    public void A_pile_that_was_never_finished_is_made_again()
    {
        Directory.CreateDirectory(PilePath);
        foreach (string name in new[] { "lock", "owner", "catalog", "superblock", "superblock.new" })
            File.WriteAllBytes(Path.Combine(PilePath, name), []);
        File.WriteAllBytes(Path.Combine(PilePath, "superblock.new"), new byte[600_000]);
        using Pile pile = Pile.Open(PilePath);
        Assert.Equal("x", pile.Get(pile.Put("x")));
    }
}
