using System;
using System.IO;

namespace BigPile.Memory.Tests;

public sealed class MappedRegionTests : RegionContract, IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("bigpile-region-").FullName;

    private string FilePath => Path.Combine(_directory, "region");

    protected override StoreKind Kind => StoreKind.Mapped;

    protected override MemoryRegion Create(long lengthBytes) => MappedRegion.Create(FilePath, lengthBytes);

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void The_bytes_come_back_when_the_file_is_opened_again()
    {
        using (MemoryRegion region = Create(8192))
            region.GetSpan(8000, 1)[0] = 99;
        using MemoryRegion again = MappedRegion.Open(FilePath, 8192);
        Assert.Equal(99, again.GetSpan(8000, 1)[0]);
    }

    [Fact]
    public void No_unfinished_file_is_left_beside_the_new_one()
    {
        using MemoryRegion region = Create(8192);
        Assert.Single(Directory.GetFiles(_directory));
    }

    [Fact]
    public void A_file_of_another_length_is_refused_by_name()
    {
        Create(8192).Dispose();
        var error = Assert.Throws<InvalidDataException>(() => MappedRegion.Open(FilePath, 16384));
        Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
        Assert.Contains("8,192", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_file_is_an_error() =>
        Assert.Throws<FileNotFoundException>(() => MappedRegion.Open(FilePath, 8192));
}
