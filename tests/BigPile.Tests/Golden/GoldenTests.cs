using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Tests.Golden;

/// <summary>Piles that earlier versions made are opened by this one, to the last object.</summary>
/// <remarks>
/// <c>BIGPILE_GOLDEN=DIRECTORY</c> keeps what the generator makes there; that is how the files of a new format come to be.
/// </remarks>
public sealed class GoldenTests : IDisposable
{
    private const int BehindFeatureWords = 48;

    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<string> Kinds => [GoldenPile.Closed, GoldenPile.Killed, GoldenPile.Cut];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_first_format_opens(string kind) => CheckKept(kind, format: 1);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_second_format_opens(string kind) => CheckKept(kind, format: 2);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_third_format_opens(string kind) => CheckKept(kind, format: 3);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_fourth_format_opens(string kind) => CheckKept(kind, format: 4);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_fifth_format_opens(string kind) => CheckKept(kind, format: 5);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_pile_of_the_seventh_format_opens(string kind) => CheckKept(kind, format: 7);

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_generator_makes_such_a_pile(string kind)
    {
        string zip = GoldenZip.NewPath($"format-{SuperblockState.CurrentFormat}-{kind}", _temporary.Path);
        GoldenPile.Make(kind, _temporary.Path, zip);
        Check(kind, zip);
    }

    /// <summary>The document states what the code does, where that can be compared.</summary>
    [Fact]
    public void The_document_states_the_format_and_its_sizes()
    {
        string document = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "BigPile", "FORMAT.md"));
        Assert.Contains($"Format {SuperblockState.CurrentFormat}. ", document, StringComparison.Ordinal);
        Assert.Contains($"{SizeClasses.Count} in all", document, StringComparison.Ordinal);
        Assert.Contains($"1 to {SizeClasses.Count} the size class", document, StringComparison.Ordinal);
        string[] large =
            [.. Enumerable.Range(SizeClasses.Count - 6, 6).Select(static sizeClass => $"{SizeClasses.SlotBytes(sizeClass):N0}")];
        Assert.Contains($"then {string.Join(", ", large[..5])} and", document, StringComparison.Ordinal);
        Assert.Contains($"{large[5]}, which are a seventh to a half", document, StringComparison.Ordinal);
        Assert.Contains($"at most {RedoFile.MaxPartBytes:N0} |", document, StringComparison.Ordinal);
        int behindSegmentsBytes = 2 * sizeof(uint) + 2 * sizeof(ulong) + Guid.Empty.ToByteArray().Length;
        int segmentsAt = new SuperblockState().Encode().Length - behindSegmentsBytes; // without features there are no names
        Assert.Contains($"| a + {segmentsAt - BehindFeatureWords} | 12 n |", document, StringComparison.Ordinal);
        foreach (Feature feature in Features.Known)
            Assert.Contains($"| {feature.Bit} | `{feature.Name}` |", document, StringComparison.Ordinal);
    }

    private void CheckKept(string kind, int format) =>
        Check(kind, Path.Combine(SourceTree.Root, "tests", "BigPile.Tests", "Golden", $"format-{format}-{kind}.zip"));

    private void Check(string kind, string zip)
    {
        string directory = Path.Combine(_temporary.Path, "opened");
        ZipFile.ExtractToDirectory(zip, directory);
        Dictionary<PilePointer, int> objects = GoldenPile.ReadList(directory);
        Dictionary<PilePointer, int> live = objects.Where(static pair => pair.Value >= 0).ToDictionary();
        using (Pile pile = Pile.Open(directory, GoldenPile.OptionsFor(kind == GoldenPile.Cut ? GoldenPile.OtherBoot : GoldenPile.Boot)))
        {
            Assert.All(objects, pair => CheckOne(pile, pair.Key, pair.Value));
            pile.Recovery.Completion.Wait();
            Assert.Equal(kind == GoldenPile.Closed, pile.Recovery.WasClean);
            Assert.Equal(kind == GoldenPile.Cut, pile.Recovery.WasPowerCut);
            Assert.Equal(kind == GoldenPile.Killed ? 1 : 0, kind == GoldenPile.Cut ? 0 : pile.Recovery.RestoredCount);
            Assert.True(kind != GoldenPile.Cut || pile.Recovery.RestoredCount >= live.Count);
            Assert.Equal(0, pile.Recovery.FaultCount);
            Assert.Equal(live.Keys.ToHashSet(), pile.Select(static entry => entry.Pointer).ToHashSet());
            Assert.Equal(live.Count, pile.Statistics.ObjectCount);
            Assert.NotEqual(0, pile.Statistics.LinkCount);
            Assert.Equal(live.Keys.Sum(pointer => (long)pile.SizeOf(pointer)), pile.Statistics.PayloadBytes);
            Assert.Equal("new", pile.Get(pile.Put("new")));
        }
        Assert.True(Pile.VerifyDirectory(directory).IsSound);
    }

    private static void CheckOne(Pile pile, PilePointer pointer, int number)
    {
        Assert.True(pile.TryGet(pointer, out object? found) == number >= 0, $"{pointer} of {number}");
        Assert.True(number < 0 || GoldenValues.IsSame(GoldenValues.Of(number), found), $"{pointer} is not value {number}");
    }
}
