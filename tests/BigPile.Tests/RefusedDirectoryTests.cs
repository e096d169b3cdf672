using System;
using System.IO;

namespace BigPile.Tests;

/// <summary>Directories that can't be opened are refused by name, and what is damaged in one that can is reported.</summary>
public sealed class RefusedDirectoryTests : MappedDirectoryTest
{
    [Fact]
    public void A_second_owner_is_refused_by_the_first_ones_process_number()
    {
        using Pile pile = Open();
        var error = Assert.Throws<PileStorageException>(() => Open().Dispose());
        Assert.Contains($"process {Environment.ProcessId}", error.Message, StringComparison.Ordinal);
        Assert.Contains(DirectoryPath, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_or_truncated_segment_is_named()
    {
        using (Pile pile = Open())
            pile.Put("x");
        string segment = Path.Combine(DirectoryPath, "segment-000000");
        using (var file = new FileStream(segment, FileMode.Open))
            file.SetLength(SegmentBytes / 2);
        Assert.Contains(segment, Assert.Throws<PileStorageException>(() => Open().Dispose()).Message, StringComparison.Ordinal);
        File.Delete(segment);
        Assert.Contains(segment, Assert.Throws<PileStorageException>(() => Open().Dispose()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_segment_of_another_pile_is_refused()
    {
        using (Pile pile = Open())
            pile.Put("x");
        string other = Path.Combine(RootPath, "other");
        using (Pile pile = Pile.Open(other, new PileOptions { SegmentBytes = SegmentBytes }))
            pile.Put("y");
        File.Copy(Path.Combine(other, "segment-000000"), Path.Combine(DirectoryPath, "segment-000000"), overwrite: true);
        Assert.Contains("segment-000000", Assert.Throws<PileStorageException>(() => Open().Dispose()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void One_damaged_copy_of_the_superblock_is_survived_and_two_are_refused()
    {
        PilePointer pointer;
        using (Pile pile = Open())
            pointer = pile.Put("x");
        string path = Path.Combine(DirectoryPath, "superblock");
        byte[] whole = File.ReadAllBytes(path);
        foreach (int place in new[] { 0, 512 * 1024 })
        {
            byte[] damaged = [.. whole];
            damaged[place + 30] ^= 1;
            File.WriteAllBytes(path, damaged);
            using Pile pile = Open();
            Assert.Equal("x", pile.Get(pointer));
        }
        byte[] both = File.ReadAllBytes(path);
        both[30] ^= 1;
        both[512 * 1024 + 30] ^= 1;
        File.WriteAllBytes(path, both);
        Assert.Contains(path, Assert.Throws<PileStorageException>(() => Open().Dispose()).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(512 * 1024)]
    public void A_damaged_copy_of_the_superblock_is_reported_and_whether_it_was_the_later_one(int place)
    {
        PilePointer pointer;
        using (Pile pile = Open())
            pointer = pile.Put("x");
        string path = Path.Combine(DirectoryPath, "superblock");
        byte[] bytes = File.ReadAllBytes(path);
        bool isLater = BitConverter.ToInt64(bytes, place + 16) > BitConverter.ToInt64(bytes, (place ^ (512 * 1024)) + 16);
        bytes[place + 30] ^= 1;
        File.WriteAllBytes(path, bytes);
        PileFault found = Assert.Single(Pile.VerifyDirectory(DirectoryPath).Faults);
        using Pile again = Open();
        PileFault fault = Assert.Single(again.Recovery.Faults);
        Assert.Equal((path, found.What), (fault.Place, fault.What));
        Assert.Equal(isLater, fault.What.Contains("written before", StringComparison.Ordinal));
        Assert.Equal("x", again.Get(pointer));
    }

    [Fact]
    public void A_directory_that_can_not_be_made_is_refused_by_name()
    {
        string file = Path.Combine(RootPath, "file");
        File.WriteAllText(file, "");
        string path = Path.Combine(file, "pile");
        Assert.Contains(path, Assert.Throws<PileStorageException>(() => Pile.Open(path)).Message, StringComparison.Ordinal);
    }
}
