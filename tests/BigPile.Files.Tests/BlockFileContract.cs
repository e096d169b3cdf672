using System;
using System.IO;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Files.Tests;

/// <summary>What every block file promises; each kind's test class is this suite and a way to open one.</summary>
public abstract partial class BlockFileContract(ITestOutputHelper output) : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    protected ITestOutputHelper Output => output;

    protected abstract BlockFileKind Kind { get; }

    protected string FilePath => Path.Combine(_temporary.Path, "file");

    public void Dispose()
    {
        _temporary.Dispose();
        GC.SuppressFinalize(this);
    }

    internal virtual BlockFileOptions Adapt(BlockFileOptions options) => options;

    protected IBlockFile Open(BlockFileOptions? options = null) =>
        BlockFile.Open(Kind, FilePath, Adapt(options ?? new BlockFileOptions()));

    [Fact]
    public void A_new_file_is_empty_and_says_what_it_is()
    {
        using IBlockFile file = Open();
        Assert.Equal((0L, Kind, FilePath, false), (file.Size, file.Kind, file.Path, file.IsReadOnly));
        Assert.True(BlockFile.TryParseKind(BlockFile.NameOf(Kind), out BlockFileKind kind));
        Assert.Equal(Kind, kind);
    }

    [Fact]
    public void What_was_written_is_read_and_outlives_the_file()
    {
        using (IBlockFile file = Open())
        {
            file.WriteAt(0, "hello"u8);
            file.WriteAt(3, "p me"u8);
            Assert.Equal("help me"u8.ToArray(), Read(file, 0, 7));
        }
        Assert.Equal(7, new FileInfo(FilePath).Length);
        using IBlockFile again = Open();
        Assert.Equal((7L, "lp m"), (again.Size, Text(again, 2, 4)));
    }

    [Fact]
    public void What_lies_between_the_end_and_a_write_behind_it_is_zero()
    {
        using IBlockFile file = Open();
        file.WriteAt(2, "a"u8);
        file.WriteAt(200_000, "b"u8);
        Assert.Equal(200_001, file.Size);
        byte[] all = Read(file, 0, 200_001);
        Assert.Equal(((byte)'a', (byte)'b'), (all[2], all[^1]));
        all[2] = all[^1] = 0;
        Assert.False(all.AsSpan().ContainsAnyExcept((byte)0));
    }

    [Fact]
    public void Append_and_expand_say_where()
    {
        using IBlockFile file = Open();
        Assert.Equal(0, file.Append("abc"u8));
        Assert.Equal(3, file.Expand(100_000));
        Assert.Equal(100_003, file.Append("def"u8));
        Assert.Equal((100_006L, "def"), (file.Size, Text(file, 100_003, 3)));
        Assert.False(Read(file, 3, 100_000).AsSpan().ContainsAnyExcept((byte)0));
    }

    [Theory]
    [InlineData(0, 11)]
    [InlineData(10, 1)]
    [InlineData(5, 6)]
    [InlineData(11, 0)]
    [InlineData(long.MaxValue, 1)]
    [InlineData(long.MaxValue, 0)]
    public void A_read_past_the_end_says_so_and_reads_nothing(long offset, int length)
    {
        using IBlockFile file = Open();
        file.WriteAt(0, "0123456789"u8);
        var buffer = new byte[length];
        EndOfStreamException error = Assert.Throws<EndOfStreamException>(() => file.ReadAt(offset, buffer));
        Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
        Assert.Contains($"{offset:N0}", error.Message, StringComparison.Ordinal);
        Assert.Contains("10 bytes", error.Message, StringComparison.Ordinal);
        Assert.False(buffer.AsSpan().ContainsAnyExcept((byte)0));
    }

    [Fact]
    public void Nothing_is_read_written_appended_and_added()
    {
        using IBlockFile file = Open();
        file.ReadAt(0, []);
        file.WriteAt(0, []);
        file.WriteAt(1000, []);
        Assert.Equal((0L, 0L, 0L), (file.Append([]), file.Expand(0), file.Size));
        file.WriteAt(0, "ab"u8);
        file.ReadAt(2, []);
        file.WriteAt(1, []);
        Assert.Equal((2L, 2L, 2L), (file.Append([]), file.Expand(0), file.Size));
    }

    [Fact]
    public void Numbers_that_mean_nothing_are_refused()
    {
        using IBlockFile file = Open();
        Assert.Throws<ArgumentOutOfRangeException>(() => file.ReadAt(-1, new byte[1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.ReadAt(long.MinValue, []));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.WriteAt(-1, new byte[1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.WriteAt(-1, []));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.WriteAt(long.MaxValue, new byte[1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Expand(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Truncate(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Synchronize(true, -1));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Synchronize(true, 0, -1));
        Assert.Equal(0, file.Size);
    }

    [Fact]
    public void A_size_that_no_disk_has_is_an_exception_and_changes_nothing()
    {
        using IBlockFile file = Open();
        file.WriteAt(0, "abc"u8);
        Assert.ThrowsAny<IOException>(() => file.WriteAt(long.MaxValue - 10, "x"u8));
        Assert.ThrowsAny<IOException>(() => file.Expand(1L << 60));
        Assert.ThrowsAny<IOException>(() => file.Truncate(1L << 60));
        Assert.Throws<ArgumentOutOfRangeException>(() => file.Expand(long.MaxValue));
        Assert.Equal((3L, "abc"), (file.Size, Text(file, 0, 3)));
        file.Append("d"u8);
        Assert.Equal("abcd", Text(file, 0, 4));
    }

    [Fact]
    public void A_limit_is_kept_and_named()
    {
        using IBlockFile file = Open(new BlockFileOptions { MaxSize = 100_000 });
        file.Expand(100_000);
        BlockFileFullException full = Assert.Throws<BlockFileFullException>(() => file.Append("x"u8));
        Assert.Contains(FilePath, full.Message, StringComparison.Ordinal);
        Assert.Contains("100,000", full.Message, StringComparison.Ordinal);
        Assert.Contains("MaxSize", full.Message, StringComparison.Ordinal);
        Assert.Throws<BlockFileFullException>(() => file.WriteAt(99_999, "xy"u8));
        Assert.Throws<BlockFileFullException>(() => file.Expand(1));
        Assert.Throws<BlockFileFullException>(() => file.Truncate(100_001));
        file.WriteAt(99_999, "x"u8);
        Assert.Equal(100_000, file.Size);
    }

    [Fact]
    public void What_was_cut_is_zero_when_it_comes_back()
    {
        using IBlockFile file = Open();
        var bytes = new byte[300_000];
        bytes.AsSpan().Fill(9);
        file.WriteAt(0, bytes);
        file.Truncate(5_001);
        Assert.Equal(5_001, file.Size);
        Assert.Throws<EndOfStreamException>(() => file.ReadAt(5_001, new byte[1]));
        file.Truncate(300_000);
        byte[] all = Read(file, 0, 300_000);
        Assert.False(all.AsSpan(0, 5_001).ContainsAnyExcept((byte)9));
        Assert.False(all.AsSpan(5_001).ContainsAnyExcept((byte)0));
        file.Truncate(0);
        Assert.Equal(0, file.Append("new"u8));
        Assert.Equal("new", Text(file, 0, 3));
    }

    [Fact]
    public void A_synchronized_file_is_as_it_was()
    {
        using IBlockFile file = Open();
        file.Synchronize(hard: true);
        file.Append("abc"u8);
        file.Synchronize(hard: false);
        file.Synchronize(hard: true, 1, 1);
        file.Synchronize(hard: true);
        Assert.Equal((3L, "abc"), (file.Size, Text(file, 0, 3)));
    }

    [Fact]
    public void A_closed_file_says_so_and_may_be_closed_again()
    {
        IBlockFile file = Open();
        file.Append("abc"u8);
        file.Close();
        file.Close();
        file.Dispose();
        Action[] calls =
        [
            () => _ = file.Size, () => file.ReadAt(0, new byte[1]), () => file.ReadAt(0, []), () => file.WriteAt(0, "x"u8),
            () => file.WriteAt(0, []), () => file.WriteAt(100, "x"u8), () => file.Append("x"u8), () => file.Append([]),
            () => file.Expand(1), () => file.Truncate(0), () => file.Synchronize(false), () => file.Synchronize(true),
        ];
        foreach (Action call in calls)
            Assert.Contains(FilePath, Assert.Throws<ObjectDisposedException>(call).Message, StringComparison.Ordinal);
        Assert.Equal("abc", File.ReadAllText(FilePath));
    }

    [Fact]
    public void Create_empties_a_file_but_not_one_that_is_open()
    {
        using (IBlockFile file = Open())
        {
            file.Append("abc"u8);
            Assert.Throws<BlockFileLockedException>(() => Open(new BlockFileOptions { Mode = FileMode.Create }).Dispose());
            Assert.Equal("abc", Text(file, 0, 3));
        }
        using IBlockFile again = Open(new BlockFileOptions { Mode = FileMode.Create });
        Assert.Equal(0, again.Size);
    }

    [Fact]
    public void A_file_without_room_ahead_grows_as_well()
    {
        using IBlockFile file = Open(new BlockFileOptions { InitialSize = 0, GrowthFactor = 1 });
        for (int i = 0; i < 5_000; i++)
            Assert.Equal(i * 100, file.Append(new byte[100]));
        Assert.Equal(500_000, file.Size);
    }

    [Fact]
    public void Operations_allocate_nothing()
    {
        using IBlockFile file = Open(new BlockFileOptions { InitialSize = 10 << 20 });
        var bytes = new byte[9_000];
        Use();
        if (Adapt(new BlockFileOptions()).Hook != null)
            return; // what is told of each operation is told by allocating
        // The runtime may allocate on the thread for itself, once; an operation that allocates does so each time.
        Assert.Contains(0, Enumerable.Range(0, 3).Select(_ => Measure()));

        long Measure()
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 100; i++)
                Use();
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }

        void Use()
        {
            long offset = file.Append(bytes);
            file.ReadAt(offset, bytes);
            file.WriteAt(offset + 100, bytes.AsSpan(0, 100));
            file.ReadAt(offset + 100, bytes.AsSpan(0, 100));
            file.WriteAt(file.Expand(100), bytes.AsSpan(0, 100));
            file.WriteAt(file.Size, bytes.AsSpan(0, 100));
        }
    }

    protected static byte[] Read(IBlockFile file, long offset, int length)
    {
        var bytes = new byte[length];
        file.ReadAt(offset, bytes);
        return bytes;
    }

    private protected static string Text(IBlockFile file, long offset, int length) => AsciiOf(Read(file, offset, length));

    private static string AsciiOf(byte[] bytes) => System.Text.Encoding.ASCII.GetString(bytes);
}
