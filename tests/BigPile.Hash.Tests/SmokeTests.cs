using System.IO;
using System.Text;
using BigPile.Files;

namespace BigPile.Hash.Tests;

public sealed class SmokeTests
{
    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_was_set_is_found_and_what_was_removed_is_not(BlockFileKind kind)
    {
        const int Records = 5000;
        using var directory = new TemporaryDirectory();
        var options = new HashDatabaseOptions { FileKind = kind, Tuning = new HashTuning { Buckets = 1000 } };
        string path = Path.Combine(directory.Path, "hash");
        using (var database = HashDatabase.Open(path, options))
        {
            for (int i = 0; i < Records; i++)
                Assert.True(database.Set(Bytes("key " + i), Bytes("value " + i)));
            for (int i = 0; i < Records; i += 2)
                Assert.True(database.Remove(Bytes("key " + i)));
            Assert.Equal(Records / 2, database.Count);
            Assert.Empty(database.Verify().Problems);
        }
        using (var database = HashDatabase.Open(path, options))
        {
            Assert.Equal((Records / 2, HashEnding.Closed), (database.Count, database.Recovery.Ending));
            for (int i = 0; i < Records; i++)
                Assert.Equal(i % 2 == 0 ? null : Bytes("value " + i), database.Get(Bytes("key " + i)));
        }
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
