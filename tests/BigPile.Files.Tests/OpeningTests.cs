using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using BigPile.Memory;

namespace BigPile.Files.Tests;

/// <summary>Who may open a file, and what is found in it.</summary>
public sealed class OpeningTests : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    private string FilePath => Path.Combine(_temporary.Path, "file");

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_file_that_is_written_is_its_owners_alone(BlockFileKind kind)
    {
        using IBlockFile file = BlockFile.Open(kind, FilePath);
        foreach (bool readOnly in (bool[])[false, true])
        {
            var here = Assert.Throws<BlockFileLockedException>(
                () => BlockFile.Open(kind, FilePath, new BlockFileOptions { ReadOnly = readOnly }).Dispose());
            Assert.Contains(FilePath, here.Message, StringComparison.Ordinal);
            Assert.Contains("Close it", here.Message, StringComparison.Ordinal);
            string there = Child.Run("open", BlockFile.NameOf(kind), readOnly ? "reading" : "writing", FilePath).Output;
            Assert.StartsWith(nameof(BlockFileLockedException), there, StringComparison.Ordinal);
            Assert.Contains(FilePath, there, StringComparison.Ordinal);
        }
        file.Append("still mine"u8);
        file.Close();
        Assert.Equal("opened\n", Child.Run("open", BlockFile.NameOf(kind), "writing", FilePath).Output.ReplaceLineEndings("\n"));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Many_may_read_and_none_of_them_writes(BlockFileKind kind)
    {
        File.WriteAllText(FilePath, "hello");
        var reading = new BlockFileOptions { ReadOnly = true };
        using (IBlockFile first = BlockFile.Open(kind, FilePath, reading))
        using (IBlockFile second = BlockFile.Open(kind, FilePath, reading))
        {
            Assert.Equal("opened\n", Child.Run("open", BlockFile.NameOf(kind), "reading", FilePath).Output.ReplaceLineEndings("\n"));
            Assert.Throws<BlockFileLockedException>(() => BlockFile.Open(kind, FilePath).Dispose());
            Assert.True(first.IsReadOnly);
            Action[] changes =
            [
                () => first.WriteAt(0, "x"u8), () => first.WriteAt(0, []), () => first.WriteAt(100, "x"u8), () => first.Append("x"u8),
                () => first.Append([]), () => first.Expand(1), () => first.Expand(0), () => first.Truncate(0),
            ];
            foreach (Action change in changes)
            {
                var error = Assert.Throws<InvalidOperationException>(change);
                Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
                Assert.Contains("ReadOnly", error.Message, StringComparison.Ordinal);
            }
            first.Synchronize(hard: true);
            var bytes = new byte[5];
            second.ReadAt(0, bytes);
            Assert.Equal("hello"u8, bytes);
            Assert.Throws<EndOfStreamException>(() => second.ReadAt(1, bytes));
        }
        BlockFile.Open(kind, FilePath).Dispose();
        Assert.Equal("hello", File.ReadAllText(FilePath));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_empty_file_is_read_as_such(BlockFileKind kind)
    {
        File.WriteAllText(FilePath, "");
        foreach (long addressBytes in (long[])[0, 1 << 30])
        {
            var options = new BlockFileOptions { ReadOnly = true, AddressBytes = addressBytes };
            using IBlockFile file = BlockFile.Open(kind, FilePath, options);
            Assert.Equal(0, file.Size);
            file.ReadAt(0, []);
            Assert.Throws<EndOfStreamException>(() => file.ReadAt(0, new byte[1]));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_file_is_read_as_well_where_no_addresses_are_taken_ahead(BlockFileKind kind)
    {
        File.WriteAllText(FilePath, "hello");
        using IBlockFile file = BlockFile.Open(kind, FilePath, new BlockFileOptions { ReadOnly = true, AddressBytes = 0 });
        var bytes = new byte[5];
        file.ReadAt(0, bytes);
        Assert.Equal("hello"u8, bytes);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_is_not_there_or_no_file_is_refused_by_name(BlockFileKind kind)
    {
        foreach (BlockFileOptions options in (BlockFileOptions[])[new() { Mode = FileMode.Open }, new() { ReadOnly = true }])
        {
            var missing = Assert.Throws<FileNotFoundException>(() => BlockFile.Open(kind, FilePath, options).Dispose());
            Assert.Contains(FilePath, missing.Message, StringComparison.Ordinal);
        }
        Assert.False(File.Exists(FilePath));
        Assert.ThrowsAny<IOException>(() => BlockFile.Open(kind, Path.Combine(_temporary.Path, "no", "file")).Dispose());
        var directory = Assert.ThrowsAny<IOException>(() => BlockFile.Open(kind, _temporary.Path).Dispose());
        Assert.Contains(_temporary.Path, directory.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_device_is_refused_by_name()
    {
        if (OperatingSystem.IsWindows())
            return;
        foreach (BlockFileKind kind in BlockFile.Kinds)
        {
            var error = Assert.ThrowsAny<IOException>(() => BlockFile.Open(kind, "/dev/tty").Dispose());
            Assert.Contains("/dev/tty", error.Message, StringComparison.Ordinal);
            error = Assert.ThrowsAny<IOException>(() =>
            {
                using IBlockFile file = BlockFile.Open(kind, "/dev/null");
                file.Append("x"u8);
            });
            Assert.Contains("/dev/null", error.Message, StringComparison.Ordinal);
        }
    }

    /// <summary>More than would fit, if each took all the addresses that it might; and each gives its own back.</summary>
    [Fact]
    public void Many_mapped_files_are_open_at_one_time()
    {
        for (int round = 0; round < TestLeg.Steps(1, 3); round++)
        {
            var files = new IBlockFile[800];
            for (int i = 0; i < files.Length; i++)
            {
                files[i] = BlockFile.Open(BlockFileKind.MappedParallel, $"{FilePath}-{i}", new BlockFileOptions { InitialSize = 0 });
                files[i].Append(new byte[100]);
            }
            foreach (IBlockFile file in files)
            {
                Assert.Equal(100, file.Append(new byte[100_000]));
                file.Dispose();
                File.Delete(file.Path);
            }
        }
    }

    [Fact]
    public void Options_that_mean_nothing_are_named()
    {
        BlockFileOptions[] wrong =
        [
            new() { Mode = FileMode.Append }, new() { Mode = FileMode.Create, ReadOnly = true }, new() { InitialSize = -1 },
            new() { GrowthFactor = 0.5 }, new() { GrowthFactor = double.NaN }, new() { MaxSize = -1 },
        ];
        foreach (BlockFileOptions options in wrong)
            Assert.Throws<ArgumentException>(() => BlockFile.Open(BlockFileKind.Standard, FilePath, options).Dispose());
        Assert.Throws<ArgumentOutOfRangeException>(() => BlockFile.Open((BlockFileKind)9, FilePath).Dispose());
        Assert.False(File.Exists(FilePath));
        Assert.False(BlockFile.TryParseKind("mmap", out _));
    }

    /// <summary>The file has its allocated length; a caller that knows the size restores it with a cut.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_was_written_before_a_kill_is_there(BlockFileKind kind)
    {
        long last = -1;
        using (Process process = Child.Start("write", BlockFile.NameOf(kind), FilePath))
        {
            while (last < 300)
                last = long.Parse(process.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture);
            process.Kill();
            Assert.True(process.WaitForExit(Eventually.Timeout));
        }
        using IBlockFile file = BlockFile.Open(kind, FilePath);
        Assert.True(file.Size >= (last + 1) * Blocks.Bytes);
        Span<byte> block = new byte[Blocks.Bytes];
        for (long number = 0; number <= last; number++)
        {
            file.ReadAt(number * Blocks.Bytes, block);
            Blocks.Check(block, number, 0);
        }
        file.Truncate((last + 1) * Blocks.Bytes);
        Assert.Equal((last + 1) * Blocks.Bytes, file.Append("next"u8));
    }

    [Fact]
    public void Holes_are_filled_before_they_are_mapped_and_written()
    {
        using (FileStream sparse = File.Create(FilePath))
            sparse.SetLength(1 << 20);
        Assert.True(FileStatus.Of(FilePath) is not { } status || status.AllocatedBytes < 1 << 20);
        using IBlockFile file = BlockFile.Open(BlockFileKind.MappedParallel, FilePath);
        Assert.True(FileStatus.Of(FilePath) is not { } filled || filled.AllocatedBytes >= 1 << 20);
    }

    /// <summary>A file that somebody cuts who does not own it: who reads by calls hears of it; mapped, the process ends.</summary>
    [Theory]
    [InlineData(BlockFileKind.Standard)]
    [InlineData(BlockFileKind.PositionalParallel)]
    [InlineData(BlockFileKind.PositionalAtomic)]
    public void A_file_that_was_cut_from_outside_is_an_exception(BlockFileKind kind)
    {
        if (!OperatingSystem.IsLinux())
            return; // Windows locks for real
        using IBlockFile file = BlockFile.Open(kind, FilePath);
        file.WriteAt(0, new byte[200_000]);
        using (Process other = Process.Start("truncate", ["-s", "1000", FilePath])!)
            Assert.True(other.WaitForExit(Eventually.Timeout));
        var error = Assert.Throws<EndOfStreamException>(() => file.ReadAt(500, new byte[1_000]));
        Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
        file.ReadAt(0, new byte[1_000]);
    }
}
