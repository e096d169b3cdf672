using System;
using System.IO;
using System.IO.Compression;

namespace BigPile.Caching.Tests.Golden;

/// <summary>Keys that earlier versions stored in other bytes are found, and so is what an application's codec wrote of numbers.</summary>
public sealed class GoldenKeysTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<string> Kinds => [GoldenKeys.PilesCodec, GoldenKeys.OwnCodec];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Keys_of_earlier_tables_are_found(string kind) =>
        Check(kind, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"keys-5-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Keys_of_present_tables_are_found(string kind)
    {
        string zip = GoldenZip.NewPath($"keys-6-{kind}", _temporary.Path);
        GoldenKeys.Make(kind, _temporary.Path, zip);
        Check(kind, zip);
    }

    private void Check(string kind, string zip)
    {
        string directory = Path.Combine(_temporary.Path, "opened");
        ZipFile.ExtractToDirectory(zip, directory);
        using (PileCache cache = GoldenKeys.Open(kind, directory))
            GoldenKeys.Check(cache, kind);
        Assert.True(Pile.VerifyDirectory(directory).IsSound);
    }
}
