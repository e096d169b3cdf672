using System;
using System.IO;

namespace BigPile.Hash.Tests;

/// <summary>Names that are links, directories, or another database's by now.</summary>
public sealed class NameTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_rebuild_replaces_no_database_but_its_own(bool movesDirectory)
    {
        using var directory = new TemporaryDirectory();
        string place = Path.Combine(directory.Path, "place");
        string path = Path.Combine(place, "hash");
        Directory.CreateDirectory(place);
        using HashDatabase first = HashDatabase.Open(path);
        first.Set("first"u8, "1"u8);
        if (movesDirectory)
        {
            Directory.Move(place, place + " elsewhere");
            Directory.CreateDirectory(place);
        }
        else
        {
            File.Move(path, path + " elsewhere");
        }
        using HashDatabase second = HashDatabase.Open(path);
        second.Set("second"u8, "2"u8);
        Assert.Throws<HashDatabaseException>(() => first.Rebuild());
        Assert.Equal("1"u8, first.Get("first"u8).AsSpan());
        second.Rebuild();
        second.Dispose();
        using HashDatabase again = HashDatabase.Open(path);
        Assert.Equal("2"u8, again.Get("second"u8).AsSpan());
        Assert.Equal(1, again.Count);
    }

    [Fact]
    public void A_link_leads_to_the_database_also_behind_a_rebuild()
    {
        using var directory = new TemporaryDirectory();
        string path = Path.Combine(directory.Path, "hash");
        string link = Path.Combine(directory.Path, "link");
        HashDatabase.Open(path).Dispose();
        File.CreateSymbolicLink(link, path);
        using (HashDatabase database = HashDatabase.Open(link))
        {
            database.Set("key"u8, "value"u8);
            database.Rebuild();
            database.Set("other"u8, "value"u8);
        }
        using HashDatabase again = HashDatabase.Open(path);
        Assert.Equal(2, again.Count);
        Assert.NotNull(File.ResolveLinkTarget(link, returnFinalTarget: false));
    }

    [Fact]
    public void A_link_in_the_place_of_a_rebuilt_file_is_not_followed()
    {
        using var directory = new TemporaryDirectory();
        string path = Path.Combine(directory.Path, "hash");
        string target = directory.Write("target", "somebody's");
        using HashDatabase database = HashDatabase.Open(path);
        database.Set("key"u8, "value"u8);
        File.CreateSymbolicLink(path + ".rebuild", target);
        database.Rebuild();
        Assert.Equal("somebody's", File.ReadAllText(target));
        Assert.Null(File.ResolveLinkTarget(path, returnFinalTarget: false));
        Assert.Equal("value"u8, database.Get("key"u8).AsSpan());
    }

    [Fact]
    public void A_directory_in_the_place_of_a_rebuilt_file_is_named()
    {
        using var directory = new TemporaryDirectory();
        string path = Path.Combine(directory.Path, "hash");
        Directory.CreateDirectory(path + ".rebuild");
        IOException e = Assert.Throws<IOException>(() => HashDatabase.Open(path));
        Assert.Contains(".rebuild' is a directory", e.Message, StringComparison.Ordinal);
    }
}
