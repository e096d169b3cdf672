using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using Xunit.Abstractions;

namespace BigPile.Files.Tests;

/// <summary>The operations of an atomic kind are atomic; the same search finds torn reads in a parallel kind.</summary>
public sealed class AtomicityTests(ITestOutputHelper output)
{
    private const int Writers = 3;
    private const int Readers = 3;
    private const int OneBlock = 4_000;

    public static TheoryData<BlockFileKind, long> Atomic => new()
    {
        { BlockFileKind.Standard, 1 }, { BlockFileKind.PositionalAtomic, 1 }, { BlockFileKind.MappedAtomic, 1L << 30 },
        { BlockFileKind.MappedAtomic, 0 },
    };

    [Theory]
    [MemberData(nameof(Atomic))]
    public void A_read_has_all_of_a_write_or_nothing(BlockFileKind kind, long addressBytes)
    {
        foreach (int length in (int[])[16, 1_000, OneBlock, 9_000, 90_000, 1_300_000])
        {
            int rounds = TestLeg.Steps(length > 50_000 ? 40 : 800, 50_000);
            long reads = ReadBesideWrites(kind, addressBytes, length, rounds, out bool isTorn);
            Assert.False(isTorn, $"length {length}");
            output.WriteLine($"{length:N0} bytes: {reads:N0} reads");
        }
    }

    /// <summary>The control: without what keeps operations apart, the same run finds parts of writes.</summary>
    [Theory]
    [InlineData(BlockFileKind.MappedParallel)]
    [InlineData(BlockFileKind.PositionalParallel)]
    public void The_check_finds_parts_of_writes_where_there_are_any(BlockFileKind kind)
    {
        long reads = 0;
        bool isTorn = false;
        long start = Stopwatch.GetTimestamp();
        while (!isTorn && Stopwatch.GetElapsedTime(start) < Eventually.Timeout)
            reads += ReadBesideWrites(kind, 1L << 30, 90_000, 2_000, out isTorn);
        Assert.True(isTorn, $"{reads:N0} reads, and none had parts of two writes.");
        output.WriteLine($"found in {reads:N0} reads");
    }

    /// <summary>A write that begins within the file and ends behind it comes with the size that has it.</summary>
    [Theory]
    [MemberData(nameof(Atomic))]
    public void Size_and_bytes_come_together(BlockFileKind kind, long addressBytes)
    {
        const int Step = 3_000;
        using var temporary = new TemporaryDirectory();
        using IBlockFile file = BlockFile.Open(kind, Path.Combine(temporary.Path, "file"), Options(addressBytes));
        file.WriteAt(0, Filled(Step, 1));
        SideBySide.Rounds(
        [
            new SideBySide.Worker(TestLeg.Steps(800, 20_000), (Action<int>)(number =>
            {
                byte value = (byte)(number % 250 + 2);
                file.WriteAt(file.Size - Step, Filled(2 * Step, value)); // the last step and one more
                if (file.Size > 2_000_000)
                    file.Truncate(Step);
            })),
            .. Enumerable.Range(0, 3).Select(_ => new SideBySide.Worker(500, number =>
            {
                var last = new byte[Step];
                long size = file.Size;
                try
                {
                    file.ReadAt(size - Step, last);
                }
                catch (EndOfStreamException)
                {
                    return false; // cut since
                }
                Assert.Equal(-1, last.AsSpan().IndexOfAnyExcept(last[0]));
                Assert.NotEqual(0, last[0]);
                return true;
            })),
        ]);
    }

    private static long ReadBesideWrites(BlockFileKind kind, long addressBytes, int length, int rounds, out bool isTorn)
    {
        int seed = TestLeg.Seed(19);
        using var temporary = new TemporaryDirectory();
        using IBlockFile file = BlockFile.Open(kind, Path.Combine(temporary.Path, "file"), Options(addressBytes));
        int start = length == OneBlock ? 4_100 : 4_000; // no boundary of anything
        file.WriteAt(0, new byte[start]);
        file.WriteAt(start, Filled(length, 1));
        long reads = 0;
        int torn = 0;
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, Writers).Select(writer => new SideBySide.Worker(rounds, (Action<int>)(number =>
            {
                if (Volatile.Read(ref torn) == 0)
                    file.WriteAt(start, Filled(length, (byte)(number * Writers + writer)));
            }))),
            .. Enumerable.Range(0, Readers).Select(reader => new SideBySide.Worker(rounds, Reader(new Random(seed + reader)))),
        ]);
        isTorn = torn != 0;
        return reads;

        Action<int> Reader(Random random)
        {
            var bytes = new byte[length];
            return _ =>
            {
                if (Volatile.Read(ref torn) != 0)
                    return;
                int from = random.Next(length - 1);
                Span<byte> part = bytes.AsSpan(0, random.Next(2) == 0 ? length - from : random.Next(1, length - from + 1));
                file.ReadAt(start + from, part);
                Interlocked.Increment(ref reads);
                if (part.ContainsAnyExcept(part[0]))
                    Volatile.Write(ref torn, 1);
            };
        }
    }

    private static BlockFileOptions Options(long addressBytes) =>
        new() { AddressBytes = addressBytes, InitialSize = 0, GrowthFactor = 1 };

    private static byte[] Filled(int length, byte value)
    {
        var bytes = new byte[length];
        bytes.AsSpan().Fill(value);
        return bytes;
    }
}
