using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Files.Tests;

/// <summary>What fails leaves the file as it was, and says which file and what helps.</summary>
public sealed class FailureTests(ITestOutputHelper output) : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    private string FilePath => Path.Combine(_temporary.Path, "file");

    public void Dispose() => _temporary.Dispose();

    /// <summary>Each operation on the file fails in turn; then the file is as a model says, and goes on.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_failure_leaves_the_file_as_it_was(BlockFileKind kind)
    {
        var failed = new HashSet<FileOperation>();
        foreach (bool isHalfDone in (bool[])[false, true])
        {
            int position = 1;
            while (RunWithFailureAt(kind, position, isHalfDone) is { } operation)
            {
                failed.Add(operation);
                position++;
            }
            output.WriteLine($"{position - 1} operations failed in turn");
        }
        Assert.Contains(FileOperation.SetLength, failed);
        Assert.Contains(FileOperation.Sync, failed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_full_disk_is_named_with_its_remedy(BlockFileKind kind)
    {
        var hook = new FailingOperations();
        using IBlockFile file = BlockFile.Open(kind, FilePath, new BlockFileOptions { Hook = hook, InitialSize = 0 });
        file.Append("before"u8);
        hook.Always = static operation =>
            operation is FileOperation.Allocate or FileOperation.Write ? new IOException("No space left on device", 28) : null;
        Action[] growths =
        [
            () => file.Append(new byte[100_000]), () => file.WriteAt(3, new byte[100_000]), () => file.Expand(100_000),
            () => file.Truncate(100_000),
        ];
        foreach (Action growth in growths)
        {
            var full = Assert.Throws<BlockFileFullException>(growth);
            Assert.Contains(FilePath, full.Message, StringComparison.Ordinal);
            Assert.Contains("Free some space", full.Message, StringComparison.Ordinal);
        }
        hook.Always = null;
        Assert.Equal(6, file.Size);
        Assert.Equal(6, file.Append(" after"u8));
        file.Close();
        Assert.Equal("before after", File.ReadAllText(FilePath));
    }

    /// <summary>A file system that can't reserve space: the bytes themselves are written.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_file_system_without_reservation_serves_as_well(BlockFileKind kind)
    {
        var hook = new FailingOperations
        {
            Always = static operation => operation == FileOperation.Allocate ? new NotSupportedException() : null,
        };
        using (IBlockFile file = BlockFile.Open(kind, FilePath, new BlockFileOptions { Hook = hook, InitialSize = 0, GrowthFactor = 1 }))
        {
            for (int i = 0; i < 2_000; i++)
                file.Append(new byte[150]);
            Assert.Equal(300_000, file.Expand(100_000));
        }
        Assert.Equal(400_000, new FileInfo(FilePath).Length);
        BlockFile.Open(kind, FilePath, new BlockFileOptions { Hook = hook }).Dispose();
        Assert.False(File.ReadAllBytes(FilePath).AsSpan().ContainsAnyExcept((byte)0));
    }

    /// <summary>A disk of 4 MiB that really is full: an exception, no signal; what is there can be written over, and comes back.</summary>
    [SmallDiskFact]
    public void A_disk_that_is_full_ends_no_process()
    {
        foreach (BlockFileKind kind in BlockFile.Kinds)
        {
            using var disk = new SmallDisk(Path.Combine(_temporary.Path, $"disk-{kind}"), 4 << 20);
            FillAndGoOn(kind, Path.Combine(disk.Path, "file"));
        }
    }

    /// <summary>The same where the file system can't reserve: what was only promised would be a signal.</summary>
    [LoopDiskFact]
    public void A_disk_that_is_full_and_never_reserves_ends_no_process()
    {
        foreach (BlockFileKind kind in BlockFile.Kinds)
        {
            using var disk = new LoopDisk(Path.Combine(_temporary.Path, $"disk-{kind}"), 5 << 20);
            FillAndGoOn(kind, Path.Combine(disk.Path, "file"));
        }
    }

    [Fact]
    public void A_file_that_may_not_be_written_is_refused_by_name()
    {
        if (OperatingSystem.IsWindows() || Environment.UserName == "root")
            return; // who may do all
        File.WriteAllText(FilePath, "x");
        File.SetUnixFileMode(FilePath, UnixFileMode.UserRead);
        Assert.Contains(FilePath, Assert.ThrowsAny<IOException>(
            () => BlockFile.Open(BlockFileKind.MappedAtomic, FilePath).Dispose()).Message, StringComparison.Ordinal);
    }

    private static void FillAndGoOn(BlockFileKind kind, string path)
    {
        long count;
        var block = new byte[Blocks.Bytes];
        using (IBlockFile file = BlockFile.Open(kind, path))
        {
            count = Fill(file, block);
            Assert.Equal(count * Blocks.Bytes, file.Size);
            Assert.InRange(file.Size, 3 << 20, 5 << 20);
            for (long number = 0; number < count; number++)
            {
                Blocks.Fill(block, number, 1);
                file.WriteAt(number * Blocks.Bytes, block);
            }
            Assert.Throws<BlockFileFullException>(() => file.WriteAt(file.Size - 10, new byte[1 << 20]));
            Assert.Throws<BlockFileFullException>(() => file.Expand(4 << 20));
        }
        using IBlockFile again = BlockFile.Open(kind, path);
        Assert.Equal(count * Blocks.Bytes, again.Size);
        for (long number = 0; number < count; number++)
        {
            again.ReadAt(number * Blocks.Bytes, block);
            Blocks.Check(block, number, 1);
        }
        again.Truncate(count / 2 * Blocks.Bytes);
        again.Append(block);
    }

    private static long Fill(IBlockFile file, byte[] block)
    {
        for (long count = 0; ; count++)
        {
            Blocks.Fill(block, count, 0);
            if (Record.Exception(() => file.Append(block)) is { } full)
            {
                Assert.IsType<BlockFileFullException>(full);
                return count;
            }
        }
    }

    // Where the n-th operation fails: which it was, and null when there are fewer.
    private FileOperation? RunWithFailureAt(BlockFileKind kind, int position, bool isHalfDone)
    {
        File.Delete(FilePath);
        var hook = new FailingOperations();
        var model = new List<byte>();
        var options = new BlockFileOptions { Hook = hook, InitialSize = 0, GrowthFactor = 1, AddressBytes = position % 2 << 30 };
        IBlockFile? file = null;
        hook.Arm(position, isHalfDone);
        Try(() => file = BlockFile.Open(kind, FilePath, options));
        file ??= BlockFile.Open(kind, FilePath, options);
        for (int step = 0; step < 6; step++)
        {
            byte[] bytes = Bytes(step, 30_000 + step * 7_000);
            Try(() => file.Append(bytes), () => model.AddRange(bytes));
            Check(file, model);
            int half = model.Count / 2;
            Try(() => file.WriteAt(model.Count + 100, bytes), () =>
            {
                model.AddRange(new byte[100]);
                model.AddRange(bytes);
            });
            Check(file, model);
            Try(() => file.Expand(10_000), () => model.AddRange(new byte[10_000]));
            Try(() => file.Synchronize(hard: true));
            if (step % 2 == 1)
                Try(() => file.Truncate(half), () => model.RemoveRange(half, model.Count - half));
            Check(file, model);
        }
        Try(file.Close);
        FileOperation? failed = hook.Failed;
        hook.Disarm();
        byte[] left = File.ReadAllBytes(FilePath);
        Assert.True(left.AsSpan().StartsWith(model.ToArray()), $"{kind}: {failed} failed");
        Assert.False(left.AsSpan(model.Count).ContainsAnyExcept((byte)0), $"{kind}: {failed} failed");
        BlockFile.Open(kind, FilePath).Dispose(); // its lock was given back
        return failed;

        static void Try(Action action, Action? done = null)
        {
            try
            {
                action();
            }
            catch (IOException)
            {
                return;
            }
            done?.Invoke();
        }
    }

    private static void Check(IBlockFile file, List<byte> model)
    {
        Assert.Equal(model.Count, file.Size);
        var bytes = new byte[model.Count];
        try
        {
            file.ReadAt(0, bytes);
        }
        catch (IOException e) when (e is not EndOfStreamException)
        {
            file.ReadAt(0, bytes); // the operation that failed was this one
        }
        Assert.Equal(model.ToArray(), bytes);
    }

    private static byte[] Bytes(int seed, int length)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
