using System;
using System.IO;

namespace BigPile.Memory.Tests;

public sealed class MappedRegionTests : RegionContract, IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("bigpile-region-").FullName;

    /// <summary>Where files may be: on a disk and, on Linux, in memory, which is asked in another way.</summary>
    public static TheoryData<string> FileSystems =>
        OperatingSystem.IsLinux() && Directory.Exists("/dev/shm") ? [Path.GetTempPath(), "/dev/shm"] : [Path.GetTempPath()];

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

    [Theory]
    [MemberData(nameof(FileSystems))]
    public void Holes_of_a_file_are_filled_when_it_is_opened(string root)
    {
        const long LengthBytes = 1 << 20;
        string directory = Directory.CreateDirectory(Path.Combine(root, $"bigpile-holes-{Guid.NewGuid():N}")).FullName;
        try
        {
            string path = Path.Combine(directory, "region");
            MappedRegion.Create(path, LengthBytes).Dispose();
            for (int stays = 0; stays <= 1; stays++)
            {
                using (FileStream file = File.OpenWrite(path))
                {
                    file.SetLength(stays * 4096);
                    file.SetLength(LengthBytes);
                }
                Assert.True(FileStatus.Of(path)!.Value.AllocatedBytes < LengthBytes);
                MappedRegion.Open(path, LengthBytes).Dispose();
                Assert.True(FileStatus.Of(path)!.Value.AllocatedBytes >= LengthBytes);
            }
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Fact]
    public void A_missing_file_is_an_error() =>
        Assert.Throws<FileNotFoundException>(() => MappedRegion.Open(FilePath, 8192));
}
