using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Tests.Golden;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>
/// Reading a pile whose writer is alive. The writer's memory is of no help to the reader, so it may be in the same process.
/// </summary>
public sealed class ReadOnlyTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Objects = 300;

    [Fact]
    public async Task Values_are_never_torn_while_the_writer_puts_replaces_moves_and_deletes()
    {
        using Pile writer = Open();
        using Pile reader = OpenReader();
        int seed = TestLeg.Seed(41);
        output.WriteLine($"seed {seed}");
        var pointers = new ulong[Objects];
        for (int i = 0; i < Objects; i++)
            pointers[i] = writer.Put(CheckedValue.Make(i, 1, i % 500)).ToUInt64();
        var state = new RunState();
        int steps = TestLeg.Steps(40_000, 2_000_000);
        await SideBySide.RoundsAsync(
        [
            .. Enumerable.Range(0, 2).Select(i => new SideBySide.Worker(1_000, Reader(reader, pointers, state, seed + 100 + i))),
            .. Enumerable.Range(0, 2).Select(i => new SideBySide.Worker(steps, Writer(writer, pointers, i, seed + i))),
        ]);
        output.WriteLine($"read {state.Found:N0} values and {state.Missing:N0} deleted ones; segments {writer.Statistics.SegmentCount}");
        Assert.True(state.Found > 1_000);
        for (int i = 0; i < Objects; i++)
            Assert.True(reader.GetBytes(
                PilePointer.FromUInt64(pointers[i])).AsSpan().SequenceEqual(writer.GetBytes(PilePointer.FromUInt64(pointers[i]))));
        Assert.Equal(writer.Select(static entry => entry.Pointer).ToHashSet(), reader.Select(static entry => entry.Pointer).ToHashSet());
        Assert.True(reader.Verify().IsSound);
    }

    /// <summary>Segments that come and go at the writer, also under the number of an older one, are seen by the reader.</summary>
    [Fact]
    public void New_segments_are_found_also_in_the_place_of_ones_that_were_given_back()
    {
        using Pile writer = Open();
        PilePointer first = writer.Put("first");
        using Pile reader = OpenReader();
        Assert.Equal("first", reader.Get(first));
        var dead = new List<PilePointer>();
        for (int round = 0; round < 4; round++)
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 300).Select(i => writer.Put(CheckedValue.Make(i, round, 40_000)))];
            Assert.True(writer.Statistics.SegmentCount > 3);
            for (int i = 0; i < pointers.Length; i++)
                Assert.Equal(round, CheckedValue.VersionOf(reader.GetBytes(pointers[i]), i));
            Assert.All(dead, pointer => Assert.False(reader.Contains(pointer)));
            Array.ForEach(pointers, writer.Delete);
            dead.AddRange(pointers);
            writer.Trim();
            Assert.Equal(1, writer.Statistics.SegmentCount);
        }
        Assert.Equal("first", reader.Get(first));
        Assert.Single(reader);
    }

    [Fact]
    public void Types_that_the_writer_adds_later_are_read()
    {
        using Pile writer = Open(AllowOrders);
        using Pile reader = OpenReader(AllowOrders);
        PilePointer pointer = writer.Put(GoldenValues.Of(16));
        Assert.True(GoldenValues.IsSame(GoldenValues.Of(16), reader.Get(pointer)));
    }

    [Fact]
    public void Every_call_that_changes_something_is_refused_and_names_the_directory()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put("text");
        Dictionary<string, string> before = Hashes();
        using (Pile reader = OpenReader())
        {
            Action[] changes =
            [
                () => reader.Put("x"), () => reader.Put([1]), () => reader.Put(new List<int> { 1 }),
                () => reader.PutWithCapacity((object)"x", 100),
                () => reader.Replace(pointer, "y"), () => reader.Replace(pointer, [1]), () => reader.TryReplace(pointer, "y"),
                () => reader.Delete(pointer),
                () => reader.TryDelete(pointer), () => reader.Allocate(10), () => reader.Write(pointer, [1]),
                () => reader.Put(new ReadOnlySequence<byte>([1])), () => reader.Lease(pointer), () => reader.TryLease(pointer, out _),
            ];
            foreach (Action change in changes)
                Assert.Contains(PilePath, Assert.Throws<InvalidOperationException>(change).Message, StringComparison.Ordinal);
            Assert.True(reader.IsReadOnly);
            reader.Flush();
            reader.Trim();
            Assert.Equal("text", reader.Get(pointer));
            Assert.True(reader.Verify().IsSound);
        }
        Assert.Equal(before, Hashes());
    }

    [Fact]
    public void A_pile_without_checksums_can_not_be_read_beside_its_writer()
    {
        using Pile writer = Open(static options => options with { Checksums = PileChecksums.Off });
        string message = Assert.Throws<PileStorageException>(() => OpenReader()).Message;
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
        Assert.Contains("no checksums", message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_damaged_is_never_served_to_a_reader()
    {
        PilePointer pointer;
        PilePointer other;
        using (Pile writer = Open())
        {
            pointer = writer.Put(CheckedValue.Make(1, 1, 1_000));
            other = writer.Put("sound");
        }
        using (var segment = new FileStream(Path.Combine(PilePath, "segment-000000"), FileMode.Open))
        {
            segment.Position = (long)pointer.Address * 8 + 500;
            segment.WriteByte(0);
            segment.WriteByte(1);
        }
        using Pile reader = OpenReader();
        Assert.Throws<PileStorageException>(() => reader.Get(pointer));
        Assert.Equal("sound", reader.Get(other));
    }

    /// <summary>Nothing is copied on the way, so the largest object needs no buffer that would be too large.</summary>
    [LongFact("It writes a gigabyte.")]
    public void The_largest_object_is_read()
    {
        using Pile writer = Open();
        PilePointer pointer = writer.Allocate(PileBuffer.MaxLengthBytes);
        writer.Write(pointer, [1, 2, 3], PileBuffer.MaxLengthBytes - 3);
        using Pile reader = OpenReader();
        var end = new byte[8];
        Assert.Equal(PileBuffer.MaxLengthBytes, reader.SizeOf(pointer));
        Assert.Equal(5, reader.Read(pointer, end, PileBuffer.MaxLengthBytes - 5));
        Assert.Equal([0, 0, 1, 2, 3, 0, 0, 0], end);
    }

    private static PileOptions AllowOrders(PileOptions options)
    {
        options.CodecOptions.Allow(typeof(GoldenOrder));
        return options;
    }

    private Pile OpenReader(Func<PileOptions, PileOptions>? change = null) => Open(options =>
    {
        options = options with { ReadOnly = true, Synced = null };
        return change?.Invoke(options) ?? options;
    });

    private Dictionary<string, string> Hashes() => Directory.GetFiles(PilePath).ToDictionary(
        static path => path, static path => Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(PileFiles.ReadShared(path))));

    // Each writer has its own objects, and states a new pointer before the old one is dead.
    private static Action<int> Writer(Pile writer, ulong[] pointers, int writerIndex, int seed)
    {
        var random = new Random(seed);
        var versions = new int[Objects];
        Array.Fill(versions, 1);
        return _ =>
        {
            int i = random.Next(Objects / 2) * 2 + writerIndex;
            var pointer = PilePointer.FromUInt64(pointers[i]);
            byte[] value = CheckedValue.Make(i, ++versions[i], random.Next(200) == 0 ? random.Next(40_000, 120_000) : random.Next(600));
            if (random.Next(4) != 0)
            {
                writer.Replace(pointer, value);
                return;
            }
            Volatile.Write(ref pointers[i], writer.Put(value).ToUInt64());
            writer.Delete(pointer);
        };
    }

    // A round counts that found a value.
    private static Func<int, bool> Reader(Pile reader, ulong[] pointers, RunState state, int seed)
    {
        var random = new Random(seed);
        var seen = new int[Objects];
        return _ =>
        {
            int i = random.Next(Objects);
            var pointer = PilePointer.FromUInt64(Volatile.Read(ref pointers[i]));
            if (!reader.TryGet(pointer, out byte[]? value))
            {
                Interlocked.Increment(ref state.Missing);
                Assert.True(Volatile.Read(ref pointers[i]) != pointer.ToUInt64(), $"seed {seed}: {pointer} is there, and was not found");
                return false;
            }
            int version = CheckedValue.VersionOf(value!, i);
            Assert.True(version >= seen[i], $"seed {seed}: object {i} went back from version {seen[i]} to {version}");
            seen[i] = version;
            Interlocked.Increment(ref state.Found);
            return true;
        };
    }

    private sealed class RunState
    {
        internal long Found;
        internal long Missing;
    }
}
