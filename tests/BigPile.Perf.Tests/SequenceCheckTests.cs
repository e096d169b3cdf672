using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Files;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Sequences;

namespace BigPile.Perf.Tests;

/// <summary>A sequence finds what came back wrong, and goes through each record once.</summary>
public sealed class SequenceCheckTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("bigpile-perf-tests-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData(BlockFileKind.Standard, false)]
    [InlineData(BlockFileKind.MappedParallel, false)]
    [InlineData(BlockFileKind.MappedAtomic, true)]
    [InlineData(BlockFileKind.PositionalParallel, true)]
    [InlineData(BlockFileKind.PositionalAtomic, false)]
    public void A_byte_that_changed_fails_the_load_and_the_file_is_removed(BlockFileKind kind, bool isRandom)
    {
        var options = new SequenceOptions { Kind = kind, Count = 3000, Threads = 2, IsRandom = isRandom, Directory = _directory };
        long offset = NumbersOf(options, Worker.Deal(options.Count, options.Threads)[1], options.SizeBytes)[1000] + 57;
        var damage = new AtPhase($"{BlockFile.NameOf(kind)}: get", () => Change(offset));
        LoadException error = Assert.Throws<LoadException>(() => SequenceRunner.Run(options, damage, CancellationToken.None));
        Assert.Contains($"{BlockFile.NameOf(kind)} file came back changed", error.Message);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory));
    }

    [Fact]
    public void Without_the_change_the_same_load_is_fine()
    {
        var options = new SequenceOptions { Kind = BlockFileKind.MappedParallel, Count = 3000, Threads = 2, Directory = _directory };
        IReadOnlyList<SequenceRow> rows = SequenceRunner.Run(options, new AtPhase("none", () => { }), CancellationToken.None);
        Assert.Equal(300_000, Assert.Single(rows).FileBytes);
    }

    [Theory]
    [InlineData("mmap-para: set")]
    [InlineData("mmap-para: get")]
    public void A_load_that_is_stopped_in_a_phase_leaves_nothing(string phase)
    {
        using var stop = new CancellationTokenSource();
        var options = new SequenceOptions { Kind = BlockFileKind.MappedParallel, Count = 3000, Directory = _directory };
        Assert.ThrowsAny<OperationCanceledException>(() => SequenceRunner.Run(options, new AtPhase(phase, stop.Cancel), stop.Token));
        Assert.True(stop.IsCancellationRequested);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_directory));
    }

    [Theory]
    [InlineData(1, 1, 1)]
    [InlineData(1000, 3, 8)]
    [InlineData(1001, 2, 1)]
    [InlineData(2, 5, 100)]
    public void Each_record_comes_once_in_turns(int count, int threads, int unit)
    {
        var options = new SequenceOptions { Count = count, Threads = threads };
        Worker[] workers = Worker.Deal(count, threads);
        long[] numbers = [.. workers.SelectMany(worker => NumbersOf(options, worker, unit))];
        Assert.Equal(Enumerable.Range(0, count).Select(i => (long)i * unit), numbers.Order());
        Assert.All(workers, worker => Assert.All(
            NumbersOf(options, worker, unit), number => Assert.Equal(worker.Index, number / unit % threads)));
    }

    [Fact]
    public void Drawn_numbers_are_the_same_again_and_lie_anywhere_within()
    {
        var options = new SequenceOptions { Count = 100_000, IsRandom = true };
        Worker worker = Worker.Deal(options.Count, 1)[0];
        long[] numbers = NumbersOf(options, worker, unit: 100_000);
        Assert.Equal(numbers, NumbersOf(options, worker, unit: 100_000));
        const long end = 99_999L * 100_000;
        Assert.All(numbers, number => Assert.InRange(number, 0, end));
        Assert.InRange(numbers.Average(), 0.49 * end, 0.51 * end);
        Assert.InRange(numbers.Max(), 0.999 * end, end);
        Assert.InRange(numbers.Distinct().Count(), 99_900, 100_000);
    }

    [Fact]
    public void A_record_of_another_place_is_not_that_of_this_one()
    {
        var pattern = new BytePattern(lengthBytes: 16);
        Assert.All([16L, 100, 1600, 4096, 8192, 65536, 1 << 20], distance =>
        {
            Assert.False(pattern.At(5000).SequenceEqual(pattern.At(5000 + distance)));
            Assert.False(pattern.At(5000 + distance).Contains((byte)0));
        });
        Assert.True(pattern.At(7000)[10..].SequenceEqual(pattern.At(7010)[..6]));
        Assert.True(pattern.At(8190)[1..].SequenceEqual(pattern.At(8191)[..15]));
    }

    private static long[] NumbersOf(SequenceOptions options, Worker worker, int unit)
    {
        var order = new SequenceOrder(options, worker, worker.Start, unit);
        var numbers = new long[worker.End - worker.Start];
        for (int i = 0; i < numbers.Length; i++)
            numbers[i] = order.Next();
        return numbers;
    }

    private void Change(long offset)
    {
        string path = Assert.Single(Directory.GetFiles(_directory, "*", SearchOption.AllDirectories));
        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        file.Position = offset;
        int was = file.ReadByte();
        file.Position = offset;
        file.WriteByte((byte)(was ^ 1));
    }

    private sealed class AtPhase(string phaseToMeet, Action action) : ILoadProgress
    {
        public void Begin(string phase, long total)
        {
            if (phase == phaseToMeet)
                action();
        }

        public void Report(long done)
        {
        }
    }
}
