using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>What a flush costs, when it happens, and what it makes durable.</summary>
public sealed class FlushTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Changes = 10_000;
    private const long MostLogBytes = 10_000_000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Scattered_small_changes_cost_a_little_of_the_log_and_none_of_the_segments(bool isReopened)
    {
        long pileBytes = TestLeg.IsLong ? 1L << 30 : 64L << 20;
        PileOptions Large(PileOptions options) => options with
        {
            SegmentBytes = Math.Min(pileBytes, PileOptions.DefaultSegmentBytes),
            Synced = null,
        };
        PilePointer[] pointers;
        Pile pile = Open(Large);
        try
        {
            var value = new byte[100];
            pointers = new PilePointer[pileBytes / 120];
            for (int i = 0; i < pointers.Length; i++)
                pointers[i] = pile.Put(value);
            pile.Flush();
            if (isReopened)
            {
                pile.Dispose();
                pile = Open(Large);
            }
            long before = isReopened ? 0 : DurableFiles.LogBytes(PilePath);
            int seed = TestLeg.Seed(11);
            output.WriteLine($"seed {seed}");
            var random = new Random(seed);
            for (int i = 0; i < Changes; i++)
                pile.Replace(pointers[random.Next(pointers.Length)], value);
            long committed = pile.Statistics.CommittedBytes;
            long epoch = EpochOf(PilePath);
            pile.Flush();
            long written = DurableFiles.LogBytes(PilePath) - before;
            output.WriteLine($"{committed:N0} bytes in use, {Changes:N0} changes of 100 bytes: {written:N0} bytes of log");
            Assert.InRange(written, Changes / 2 * 100, MostLogBytes);
            Assert.Equal(epoch, EpochOf(PilePath)); // no checkpoint
        }
        finally
        {
            pile.Dispose();
        }
    }

    [Fact]
    public void A_flush_of_few_changes_writes_the_log_and_nothing_else()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(new byte[100]);
        pile.Flush();
        (int segments, int superblocks, int logs) = (Files.SyncsOf("segment"), Files.SyncsOf("superblock"), Files.SyncsOf("log"));
        pile.Replace(pointer, new byte[90]);
        pile.Flush();
        Assert.Equal((segments, superblocks, logs + 1), (Files.SyncsOf("segment"), Files.SyncsOf("superblock"), Files.SyncsOf("log")));
        pile.Flush();
        Assert.Equal(logs + 1, Files.SyncsOf("log")); // nothing had changed
    }

    [Fact]
    public void The_log_is_bounded_and_a_checkpoint_comes_when_it_is_full()
    {
        const int logBytes = 1 << 20;
        using Pile pile = Open(static options => options with { FlushLogBytes = logBytes });
        PilePointer[] pointers = [.. Enumerable.Range(0, 2_000).Select(i => pile.Put(NumberedBytes(i, 100)))];
        int checkpoints = 0;
        for (int round = 1; round <= 12; round++)
        {
            long epoch = EpochOf(PilePath);
            for (int i = 0; i < pointers.Length; i++)
                pile.Replace(pointers[i], NumberedBytes(i + round, 100));
            pile.Flush();
            checkpoints += EpochOf(PilePath) == epoch ? 0 : 1;
            Assert.All(Directory.GetFiles(PilePath, "log-?"), static path => Assert.InRange(new FileInfo(path).Length, 1, logBytes));
            Assert.InRange(DurableFiles.LogBytes(PilePath), 1, logBytes);
            CheckAfterCut(pointers, i => NumberedBytes(i + round, 100));
        }
        Assert.InRange(checkpoints, 2, 8);
    }

    [Fact]
    public void However_often_few_objects_change_they_are_few_changes()
    {
        using Pile pile = Open();
        PilePointer[] pointers = [.. Enumerable.Range(0, 1_000).Select(i => pile.Put(NumberedBytes(i, 20)))];
        pile.Flush();
        long epoch = EpochOf(PilePath);
        for (int i = 0; i < 200_000; i++)
            pile.Replace(pointers[i % 1_000], NumberedBytes(i % 1_000 + 7, 20));
        pile.Flush();
        Assert.Equal(epoch, EpochOf(PilePath));
        Assert.InRange(DurableFiles.LogBytes(PilePath), 1, 1 << 20);
        CheckAfterCut(pointers, static i => NumberedBytes(i + 7, 20));
    }

    [Fact]
    public async Task A_flush_that_is_awaited_is_durable()
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put("durable");
        await pile.FlushAsync();
        CheckAfterCut([pointer], static _ => "durable"u8.ToArray());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => pile.FlushAsync(new System.Threading.CancellationToken(canceled: true)));
    }

    [Fact]
    public void The_interval_flushes_by_the_clock_that_was_given()
    {
        var time = new ManualTime();
        using Pile pile = Open(options => options with
        {
            FlushInterval = TimeSpan.FromSeconds(5),
            TimeProvider = time,
        });
        for (int round = 1; round <= 3; round++)
        {
            PilePointer pointer = pile.Put("round " + round);
            int logs = Files.SyncsOf("log");
            time.Advance(TimeSpan.FromSeconds(4.9));
            Assert.Equal(logs, Files.SyncsOf("log"));
            time.Advance(TimeSpan.FromSeconds(0.1));
            Assert.Equal(logs + 1, Files.SyncsOf("log"));
            CheckAfterCut([pointer], _ => System.Text.Encoding.ASCII.GetBytes("round " + round));
        }
        pile.Dispose();
        Assert.Equal(0, time.PendingCount);
        time.Advance(TimeSpan.FromMinutes(1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(50 * 24 * 3600)]
    public void An_interval_out_of_range_is_refused(int seconds) =>
        Assert.Contains("FlushInterval", Assert.Throws<ArgumentException>(
            () => Open(options => options with { FlushInterval = TimeSpan.FromSeconds(seconds) })).Message, StringComparison.Ordinal);

    [Fact]
    public async Task A_closed_pile_says_so_and_one_in_memory_has_nothing_to_flush()
    {
        Pile pile = Open();
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.Flush());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => pile.FlushAsync());
        using var inMemory = new Pile();
        inMemory.Put("x");
        inMemory.Flush();
    }

    /// <summary>The room of a deleted object that is leased is given back later; that it is deleted is durable now.</summary>
    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    public void The_deletion_of_a_leased_object_is_made_durable(int lengthBytes)
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(NumberedBytes(1, lengthBytes));
        pile.Flush();
        using PileLease lease = pile.Lease(pointer);
        pile.Delete(pointer);
        pile.Flush();
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        Assert.False(image.Contains(pointer));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    public void A_write_into_a_leased_object_is_made_durable(int lengthBytes)
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(NumberedBytes(1, lengthBytes));
        pile.Flush();
        using PileLease lease = pile.Lease(pointer);
        pile.Write(pointer, [1, 2, 3], 10);
        pile.Flush();
        byte[] expected = NumberedBytes(1, lengthBytes);
        ((ReadOnlySpan<byte>)[1, 2, 3]).CopyTo(expected.AsSpan(10));
        CheckAfterCut([pointer], _ => expected);
    }

    [Fact]
    public void Versions_of_entries_are_durable_before_they_are_used()
    {
        using Pile pile = Open();
        for (int i = 0; i < 3; i++)
        {
            ulong version = pile.Engine.Versions.Next();
            while (pile.Engine.Versions.Next() < version + 70_000)
            {
            }
            ulong last = pile.Engine.Versions.Next();
            Files.Build(ImagePath);
            Assert.True(Superblocks.Read(ImagePath).VersionLimit >= last);
        }
    }

    private static long EpochOf(string directory) => Superblocks.Read(directory).LogEpoch;

    private void CheckAfterCut(PilePointer[] pointers, Func<int, byte[]> expected)
    {
        Files.Build(ImagePath);
        using Pile image = OpenImage();
        for (int i = 0; i < pointers.Length; i++)
            Assert.True(image.GetBytes(pointers[i]).AsSpan().SequenceEqual(expected(i)), $"object {i}");
        image.Recovery.Completion.Wait();
        Assert.Equal(0, image.Recovery.FaultCount);
    }

    private static byte[] NumberedBytes(int number, int lengthBytes) => Noise.Of(lengthBytes, number);

    /// <summary>A change within a call that began as a read: the flush waits for it, or it for the flush, and never both.</summary>
    [Fact]
    public async Task Changes_within_reads_and_flushes_do_not_hold_each_other_up()
    {
        var codec = new PuttingCodec();
        using Pile pile = Open(options => options with { Codec = codec });
        codec.Pile = pile;
        PilePointer[] pointers = [.. Enumerable.Range(0, 50).Select(i => pile.Put((object)i))];
        Task[] readers = [.. Enumerable.Range(0, 2).Select(_ => SideBySide.Start(() =>
        {
            for (int i = 0; i < TestLeg.Steps(200, 5_000); i++)
                Assert.Equal(pointers.Length, pile.GetMany(pointers, new object?[pointers.Length]));
        }))];
        Task reading = Task.WhenAll(readers);
        int flushes = 0;
        for (; !reading.IsCompleted || flushes < 3; flushes++)
            pile.Flush();
        await reading;
        output.WriteLine($"{flushes} flushes beside {codec.Puts} puts within reads");
        Assert.Equal(pointers.Length + codec.Puts, pile.Statistics.ObjectCount);
    }

    /// <summary>Puts something else whenever it reads a number.</summary>
    private sealed class PuttingCodec : IPileCodec
    {
        private int _puts;

        internal Pile? Pile { get; set; }

        internal int Puts => _puts;

        public void Serialize(object value, PileBuffer destination)
        {
            BitConverter.TryWriteBytes(destination.GetSpan(sizeof(int)), (int)value);
            destination.Advance(sizeof(int));
        }

        public object Deserialize(PileBuffer source)
        {
            System.Threading.Interlocked.Increment(ref _puts);
            int number = BitConverter.ToInt32(source.WrittenSpan);
            Pile!.Put("put within a read");
            return number;
        }
    }
}
