using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Files.Tests;

public abstract partial class BlockFileContract
{
    private const int Writers = 4;

    // Small steps: the file grows, and moves if it must, hundreds of times.
    private static readonly BlockFileOptions Stepwise = new() { InitialSize = 0, GrowthFactor = 1 };

    /// <summary>Four append and write over their own blocks, four read what others have: eight threads.</summary>
    [Fact]
    public void Blocks_are_whole_while_the_file_grows_under_readers_and_writers()
    {
        int seed = TestLeg.Seed(17);
        int rounds = TestLeg.Steps(6_000, 1_000_000);
        Output.WriteLine($"seed {seed}, {rounds} rounds of each thread");
        using IBlockFile file = Open(Stepwise);
        var offsets = new long[Writers][];
        var counts = new int[Writers];
        for (int i = 0; i < Writers; i++)
            offsets[i] = new long[rounds * 10];
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, Writers).Select(writer => new SideBySide.Worker(rounds, Append(writer))),
            .. Enumerable.Range(0, Writers).Select(reader => new SideBySide.Worker(rounds / 4, ReadSome(new Random(seed + reader)))),
        ]);
        long[] all = [.. Enumerable.Range(0, Writers).SelectMany(writer => offsets[writer].Take(counts[writer])).Order()];
        Assert.Equal(Enumerable.Range(0, all.Length).Select(static i => (long)i * Blocks.Bytes), all);
        Assert.Equal((long)all.Length * Blocks.Bytes, file.Size);
        Output.WriteLine($"{file.Size:N0} bytes");

        Action<int> Append(int writer) => number =>
        {
            int count = counts[writer];
            if (count == offsets[writer].Length)
                return;
            Span<byte> block = stackalloc byte[Blocks.Bytes];
            Blocks.Fill(block, (long)writer << 32 | (uint)count, 0);
            offsets[writer][count] = file.Append(block);
            Volatile.Write(ref counts[writer], count + 1);
            file.ReadAt(offsets[writer][count / 2], block);
            Blocks.Check(block, (long)writer << 32 | (uint)(count / 2), 0);
            file.WriteAt(offsets[writer][count / 2], block); // the same bytes: who reads them meanwhile sees no difference
        };

        Action<int> ReadSome(Random random) => number =>
        {
            int writer = random.Next(Writers);
            int count = Volatile.Read(ref counts[writer]);
            if (count == 0)
                return;
            int index = random.Next(count);
            Span<byte> block = stackalloc byte[Blocks.Bytes];
            file.ReadAt(offsets[writer][index], block);
            Blocks.Check(block, (long)writer << 32 | (uint)index, 0);
        };
    }

    /// <summary>Writers that extend the file by writing behind its end, each in a stretch of its own.</summary>
    [Fact]
    public void Blocks_that_are_written_behind_the_end_are_whole()
    {
        const int PerThread = 10_000;
        using IBlockFile file = Open(Stepwise);
        SideBySide.Rounds([.. Enumerable.Range(0, 8).Select(thread => new SideBySide.Worker(PerThread, (Action<int>)(round =>
        {
            if (round >= PerThread)
                return;
            long number = (long)round * 8 + thread;
            Span<byte> block = stackalloc byte[Blocks.Bytes];
            Blocks.Fill(block, number, 1);
            file.WriteAt(number * Blocks.Bytes, block);
            file.ReadAt(number * Blocks.Bytes, block);
            Blocks.Check(block, number, 1);
        })))]);
        Assert.Equal(8L * PerThread * Blocks.Bytes, file.Size);
        var all = new byte[file.Size];
        file.ReadAt(0, all);
        for (int i = 0; i < 8 * PerThread; i++)
            Blocks.Check(all.AsSpan(i * Blocks.Bytes, Blocks.Bytes), i, 1);
    }

    [Fact]
    public void Who_reads_what_is_cut_has_the_bytes_or_an_exception()
    {
        int seed = TestLeg.Seed(18);
        Output.WriteLine($"seed {seed}");
        const int MaxBytes = 400_000;
        using IBlockFile file = Open(Stepwise);
        var pattern = new byte[MaxBytes];
        new Random(seed).NextBytes(pattern);
        file.WriteAt(0, pattern);
        int cuts = 0, reads = 0, refused = 0;
        var cutter = new Random(seed + 1);
        SideBySide.Rounds(
        [
            new SideBySide.Worker(TestLeg.Steps(150, 30_000), (Action<int>)(_ =>
            {
                int size = cutter.Next(MaxBytes);
                file.Truncate(size);
                file.WriteAt(size, pattern.AsSpan(size));
                cuts++;
            })),
            .. Enumerable.Range(0, 3).Select(reader => new SideBySide.Worker(500, Reader(new Random(seed + 10 + reader)))),
        ]);
        Output.WriteLine($"{cuts} cuts, {reads} reads, {refused} refused");

        Action<int> Reader(Random random) => _ =>
        {
            int offset = random.Next(MaxBytes);
            var bytes = new byte[random.Next(Math.Min(60_000, MaxBytes - offset) + 1)];
            try
            {
                file.ReadAt(offset, bytes);
                Interlocked.Increment(ref reads);
            }
            catch (EndOfStreamException)
            {
                Interlocked.Increment(ref refused);
                return;
            }
            for (int i = 0; i < bytes.Length; i++)
            {
                if (bytes[i] != pattern[offset + i] && (BlockFile.IsAtomic(Kind) || bytes[i] != 0))
                    Assert.Fail($"Offset {offset + i} is {bytes[i]}.");
            }
        };
    }

    [Fact]
    public void A_file_that_is_closed_under_its_users_refuses_them_and_keeps_what_they_wrote()
    {
        for (int round = 0; round < TestLeg.Steps(10, 2_000); round++)
        {
            File.Delete(FilePath);
            IBlockFile file = Open(Stepwise);
            file.Expand(100_000);
            long appended = 0;
            Task[] users =
            [
                Until(() => file.ReadAt(0, new byte[100_000])), Until(() => file.WriteAt(50_000, new byte[1_000])),
                Until(() =>
                {
                    file.Append(new byte[700]);
                    Interlocked.Increment(ref appended);
                }),
            ];
            Eventually.True(() => Interlocked.Read(ref appended) > 3);
            file.Close();
            Assert.True(Task.WaitAll(users, Eventually.Timeout));
            Assert.Equal(100_000 + appended * 700, new FileInfo(FilePath).Length);
        }

        static Task Until(Action action) => SideBySide.Start(() =>
        {
            try
            {
                while (true)
                    action();
            }
            catch (ObjectDisposedException)
            {
                // as it should
            }
        });
    }

    [Fact]
    public void Synchronizing_beside_growth_and_a_close_ends_well()
    {
        IBlockFile file = Open(Stepwise);
        Task appends = SideBySide.Start(() =>
        {
            for (int i = 0; i < 200; i++)
                file.Append(new byte[5_000]);
            file.Close();
        });
        try
        {
            while (true)
                file.Synchronize(hard: true);
        }
        catch (ObjectDisposedException)
        {
            // the end
        }
        Assert.True(appends.Wait(Eventually.Timeout));
        Assert.Equal(1_000_000, new FileInfo(FilePath).Length);
    }
}
