using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Tests.Durability;

/// <summary>
/// A catalog that lost what the superblock states of it is refused, by owners and readers; what is only behind that is cut off.
/// </summary>
public sealed class CatalogDamageTests : IDisposable
{
    private static readonly Guid Boot = new("00000000-0000-0000-0000-00000000001f");
    private static readonly Guid OtherBoot = new("00000000-0000-0000-0000-00000000002f");

    private readonly TemporaryDirectory _temporary = new();

    public enum Damage
    {
        Missing,
        Empty,
        OneByteShorter,
        LastRecordFlipped,
        EarlierRecordFlipped,
    }

    public enum End
    {
        Closed,
        Killed,
        OtherBoot,
    }

    public static TheoryData<Damage, End> All
    {
        get
        {
            var all = new TheoryData<Damage, End>();
            foreach (Damage damage in Enum.GetValues<Damage>())
            {
                foreach (End end in Enum.GetValues<End>())
                    all.Add(damage, end);
            }
            return all;
        }
    }

    private string ImagePath => Path.Combine(_temporary.Path, "image");

    private string CatalogPath => Path.Combine(ImagePath, "catalog");

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(All))]
    public void A_damaged_catalog_is_refused_until_it_is_restored(Damage damage, End end)
    {
        PilePointer pointer = Make(end);
        byte[] whole = File.ReadAllBytes(CatalogPath);
        Spoil(damage, whole);
        foreach (bool readOnly in new[] { true, false, true, false })
        {
            string message = Assert.Throws<PileStorageException>(() => Open(end, readOnly).Dispose()).Message;
            Assert.Contains(CatalogPath, message, StringComparison.Ordinal);
            Assert.Contains($"{whole.Length:N0} bytes", message, StringComparison.Ordinal);
            Assert.Contains("Restore the file from a copy", message, StringComparison.Ordinal);
        }
        PileVerification found = Pile.VerifyDirectory(ImagePath);
        Assert.False(found.IsSound);
        Assert.Contains(found.Faults, fault => fault.Place == CatalogPath);
        Assert.NotEqual(0, found.BlockCount);
        File.WriteAllBytes(CatalogPath, whole);
        Assert.True(Pile.VerifyDirectory(ImagePath).IsSound);
        using Pile pile = Open(end, readOnly: false);
        Assert.Equal("one", pile.Get<Dictionary<int, string>>(pointer)[1]);
    }

    /// <summary>No flush came behind the last record, and a kill in the middle of its write leaves it torn.</summary>
    [Theory]
    [InlineData(End.Killed)]
    [InlineData(End.OtherBoot)]
    public void A_torn_record_behind_what_is_stated_is_cut_off(End end)
    {
        PilePointer pointer = Make(end);
        byte[] whole = File.ReadAllBytes(CatalogPath);
        foreach (int tornBytes in new[] { 1, 11, 12, 20 })
        {
            File.WriteAllBytes(CatalogPath, [.. whole, .. whole.AsSpan(0, tornBytes)]);
            using (Pile reader = Open(end, readOnly: true))
                Assert.Equal("one", reader.Get<Dictionary<int, string>>(pointer)[1]);
            string copy = Path.Combine(_temporary.Path, "copy");
            KilledPile.Copy(ImagePath, copy);
            using (Pile pile = Open(end, readOnly: false, copy))
                Assert.Equal("one", pile.Get<Dictionary<int, string>>(pointer)[1]);
            Assert.Equal(whole, File.ReadAllBytes(Path.Combine(copy, "catalog")));
            Directory.Delete(copy, recursive: true);
        }
    }

    [Fact]
    public void Each_write_of_the_superblock_states_what_the_catalog_has()
    {
        string path = Path.Combine(_temporary.Path, "pile");
        var states = new List<(long Stated, long Length)>();
        var options = new PileOptions
        {
            SegmentBytes = 4 << 20,
            Synced = synced =>
            {
                if (Path.GetFileName(synced) == "superblock")
                    states.Add((Superblocks.Read(path).DurableCatalogBytes, new FileInfo(Path.Combine(path, "catalog")).Length));
            },
        };
        using (Pile pile = Pile.Open(path, options))
        {
            pile.Put(new List<int> { 1 });
            pile.Flush();
            pile.Put(new Dictionary<int, string> { [1] = "one" });
            pile.Put(new byte[6_000_000]);
            pile.Put(new HashSet<int> { 1 });
        }
        Assert.All(states, static state => Assert.Equal(state.Length, state.Stated));
        Assert.Equal(new FileInfo(Path.Combine(path, "catalog")).Length, states[^1].Stated);
        Assert.True(states.Count >= 5);
    }

    private PilePointer Make(End end)
    {
        string path = Path.Combine(_temporary.Path, "pile");
        PilePointer pointer;
        using (Pile pile = Pile.Open(path, Options(Boot)))
        {
            pile.Put(new List<int> { 1 });
            pointer = pile.Put(new Dictionary<int, string> { [1] = "one" });
            pile.Flush();
            if (end != End.Closed)
                KilledPile.Copy(path, ImagePath);
        }
        if (end == End.Closed)
            KilledPile.Copy(path, ImagePath);
        return pointer;
    }

    private Pile Open(End end, bool readOnly, string? path = null)
    {
        PileOptions options = Options(end == End.OtherBoot ? OtherBoot : Boot);
        return Pile.Open(path ?? ImagePath, options with { ReadOnly = readOnly });
    }

    private static PileOptions Options(Guid boot) => new() { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, BootId = boot };

    private void Spoil(Damage damage, byte[] whole)
    {
        byte[] spoilt = [.. whole];
        switch (damage)
        {
            case Damage.Missing:
                File.Delete(CatalogPath);
                return;
            case Damage.Empty:
                spoilt = [];
                break;
            case Damage.OneByteShorter:
                spoilt = whole[..^1];
                break;
            case Damage.LastRecordFlipped:
                spoilt[^1] ^= 1;
                break;
            default:
                spoilt[13] ^= 1;
                break;
        }
        File.WriteAllBytes(CatalogPath, spoilt);
    }
}
