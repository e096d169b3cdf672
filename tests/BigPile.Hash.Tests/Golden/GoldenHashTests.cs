using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using BigPile.Files;
using BigPile.Hash.Format;

namespace BigPile.Hash.Tests.Golden;

/// <summary>Files that the first version made are read and written by this one, and become new ones by a rebuild.</summary>
public sealed class GoldenHashTests : IDisposable
{
    private const int VersionAt = 8;

    private readonly ScratchDirectory _temporary = new();

    private string FilePath => Path.Combine(_temporary.Root, "database");

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData("closed", HashEnding.Closed)]
    [InlineData("killed", HashEnding.Killed)]
    [InlineData("killed", HashEnding.PowerCut)]
    public void A_database_of_the_first_version_is_read_written_and_rebuilt(string name, HashEnding ending)
    {
        Guid boot = Extract(name, ending);
        foreach (BlockFileKind kind in (BlockFileKind[])[BlockFileKind.MappedParallel, BlockFileKind.PositionalParallel])
        {
            byte[] original = File.ReadAllBytes(FilePath);
            var options = new HashDatabaseOptions { FileKind = kind, BootId = boot };
            Dictionary<int, byte[]> expected = Content();
            using (HashDatabase database = HashDatabase.Open(FilePath, options))
            {
                Assert.Equal((ending, 0L, 0L), (database.Recovery.Ending, database.Recovery.TornRecords, database.Recovery.DamagedRecords));
                Some.AssertHolds(database, expected);
                for (int i = 0; i < 300; i += 2)
                    database.Set(Some.Key(i), expected[i] = Some.Bytes(i, 33));
                for (int i = 0; i < 300; i += 3)
                    Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
                database.Synchronize();
            }
            Assert.Equal(1, File.ReadAllBytes(FilePath)[VersionAt]);
            using (HashDatabase database = HashDatabase.Open(FilePath, options))
            {
                Some.AssertHolds(database, expected);
                Some.AssertSound(database);
                database.Rebuild();
                Some.AssertHolds(database, expected);
            }
            Assert.Equal(FileLayout.Newest, File.ReadAllBytes(FilePath)[VersionAt]);
            Assert.True(HashDatabase.Verify(FilePath).IsSound);
            File.WriteAllBytes(FilePath, original);
        }
    }

    [Fact]
    public void A_changed_key_of_the_first_version_is_noticed()
    {
        Guid boot = Extract("closed", HashEnding.Closed);
        byte[] bytes = File.ReadAllBytes(FilePath);
        Some.ChangeWithinItsBucket(bytes, Some.Key(7));
        File.WriteAllBytes(FilePath, bytes);
        using HashDatabase database = HashDatabase.Open(FilePath, new HashDatabaseOptions { BootId = boot });
        Assert.Throws<HashDatabaseCorruptException>(() => database.Get(Some.Key(7)));
        Assert.Throws<HashDatabaseCorruptException>(() => database.Count());
    }

    private static Dictionary<int, byte[]> Content()
    {
        var content = Enumerable.Range(0, 120).ToDictionary(static i => i, static i => Some.Bytes(i, i * 7 % 50));
        content[120] = Some.Bytes(120, 3_000);
        for (int i = 0; i < 120; i += 5)
            content[i] = Some.Bytes(i + 1_000, i * 3 % 50);
        for (int i = 3; i < 120; i += 10)
            content.Remove(i);
        return content;
    }

    // The start of the machine in which it was made, unless the power was cut since.
    private Guid Extract(string name, HashEnding ending)
    {
        string zip = Path.Combine(SourceTree.Root, "tests", "BigPile.Hash.Tests", "Golden", $"version-1-{name}.zip");
        ZipFile.ExtractToDirectory(zip, _temporary.Root);
        byte[] bytes = File.ReadAllBytes(FilePath);
        FileLayout layout = FileLayout.Read(bytes, FilePath, bytes.Length);
        Assert.Equal(1, layout.Version);
        return ending == HashEnding.PowerCut ? Guid.NewGuid() : FileState.ReadNewest(bytes, layout.Salt)!.Value.BootId;
    }
}
