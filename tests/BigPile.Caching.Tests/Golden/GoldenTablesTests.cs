using System;
using System.IO;
using System.IO.Compression;
using BigPile.Layout;

namespace BigPile.Caching.Tests.Golden;

/// <summary>Tables that earlier versions made come back, to the last entry, with their times, priorities and removals.</summary>
/// <remarks><c>BIGPILE_GOLDEN=DIRECTORY</c> keeps what the generator makes there.</remarks>
public sealed class GoldenTablesTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<string> Kinds => [GoldenTables.Closed, GoldenTables.Killed];

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Tables_of_the_second_entry_format_come_back(string kind) =>
        Check(isRestored: false, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"tables-2-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Tables_of_a_pile_of_the_third_format_come_back(string kind) =>
        Check(isRestored: false, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"tables-2-in-3-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Tables_of_a_pile_of_the_fourth_format_come_back(string kind) =>
        Check(isRestored: false, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"tables-2-in-4-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Tables_of_a_pile_of_the_fifth_format_come_back_with_their_indexes(string kind) =>
        Check(isRestored: true, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"tables-2-in-5-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Tables_of_a_pile_of_the_seventh_format_come_back_with_their_indexes(string kind) =>
        Check(isRestored: true, Path.Combine(SourceTree.Root, "tests", "BigPile.Caching.Tests", "Golden", $"tables-2-in-7-{kind}.zip"));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_generator_makes_such_tables(string kind)
    {
        string zip = GoldenZip.NewPath($"tables-{Entries.EntryHead.Format}-in-{SuperblockState.CurrentFormat}-{kind}", _temporary.Path);
        GoldenTables.Make(kind, _temporary.Path, zip);
        Check(isRestored: true, zip);
    }

    // Earlier versions had another form of index, or none in a file; the entries are found without it.
    private void Check(bool isRestored, string zip)
    {
        string directory = Path.Combine(_temporary.Path, "opened");
        ZipFile.ExtractToDirectory(zip, directory);
        var time = new ManualTime();
        time.Advance(TimeSpan.FromDays(1));
        using (PileCache cache = GoldenTables.Open(directory, time))
        {
            Assert.Equal(isRestored, cache.Readiness.WasRestored);
            GoldenTables.Check(cache, time);
        }
        Assert.True(Pile.VerifyDirectory(directory).IsSound);
    }
}
