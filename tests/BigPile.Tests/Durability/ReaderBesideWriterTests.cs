using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Durability;

namespace BigPile.Tests.Durability;

/// <summary>
/// What a reader in another process does at each instant of a replacement, of a recovery and of a trim. The instants are made in the files.
/// </summary>
public sealed class ReaderBesideWriterTests : DurabilityTest
{
    private const int Words = 7; // fill a slot of 64 bytes: the checksum is in the header
    private const int StripeHeadBytes = 128;
    private const int StripeBytes = 64;

    private string StripePath => Path.Combine(PilePath, StripeFile.Name);

    [Fact]
    public async Task A_half_replaced_payload_is_never_served_though_its_checksum_fits()
    {
        using Pile writer = Open();
        PilePointer pointer = writer.Put(Value(1));
        using Pile reader = OpenReader(static options => options with { WriterTimeout = Eventually.Timeout });
        BeginReplacement(pointer, Value(2));
        Task<byte[]> read = SideBySide.Start(() => reader.GetBytes(pointer));
        Assert.NotSame(read, await Task.WhenAny(read, Task.Delay(200)));
        WriteSegment(pointer, 8, Value(2));
        RaiseSequence(pointer);
        Assert.Equal(Value(2), await read);
    }

    [Fact]
    public void A_killed_writer_keeps_readers_from_the_object_that_it_replaced_and_from_no_other()
    {
        PilePointer[] pointers;
        using (Pile writer = Open())
            pointers = [.. Enumerable.Range(0, 5_000).Select(i => writer.Put(Value(i)))];
        var timeout = TimeSpan.FromSeconds(2);
        using Pile reader = OpenReader(options => options with { WriterTimeout = timeout });
        BeginReplacement(pointers[7], Value(99));
        for (int i = 0; i < pointers.Length; i++)
        {
            if (i != 7)
                Assert.Equal(Value(i), reader.GetBytes(pointers[i]));
        }
        string message = Assert.Throws<PileBusyException>(() => reader.GetBytes(pointers[7])).Message;
        Assert.Contains(PilePath, message, StringComparison.Ordinal);
        Eventually.True(() => // nobody waits a second time for the same replacement, though the machine may have one wait
        {
            long before = Stopwatch.GetTimestamp();
            Assert.Throws<PileBusyException>(() => reader.GetBytes(pointers[7]));
            return Stopwatch.GetElapsedTime(before) < timeout;
        });
        WriteSegment(pointers[7], 8, Value(7));
        using (Open())
            Assert.Equal(Value(7), reader.GetBytes(pointers[7]));
    }

    [Fact]
    public void Nobody_reads_while_an_owner_recovers_the_pile()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put(Value(1));
        using Pile reader = OpenReader(static options => options with { WriterTimeout = TimeSpan.FromSeconds(1) });
        Assert.Equal(Value(1), reader.GetBytes(pointer));
        RaiseChanges();
        long before = Stopwatch.GetTimestamp();
        Assert.Throws<PileBusyException>(() => reader.GetBytes(pointer));
        Assert.InRange(Stopwatch.GetElapsedTime(before), TimeSpan.FromSeconds(0.9), TimeSpan.MaxValue); // it has waited before it gave up
        using (Open())
            Assert.Equal(Value(1), reader.GetBytes(pointer)); // the next owner has ended it
        using Pile late = OpenReader();
        Assert.Equal(Value(1), late.GetBytes(pointer));
    }

    [Fact]
    public void An_opening_that_fails_does_not_keep_readers_out()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put(Value(1));
        using Pile reader = OpenReader(static options => options with { WriterTimeout = TimeSpan.FromSeconds(1) });
        File.Move(Path.Combine(PilePath, "segment-000000"), Path.Combine(PilePath, "aside"));
        Assert.Throws<PileStorageException>(() => Open());
        File.Move(Path.Combine(PilePath, "aside"), Path.Combine(PilePath, "segment-000000"));
        Assert.Equal(Value(1), reader.GetBytes(pointer));
    }

    [Fact]
    public void A_directory_without_the_file_of_stripes_is_read_and_the_writer_that_comes_is_seen()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put(Value(1));
        File.Delete(StripePath);
        using Pile reader = OpenReader();
        Assert.Equal(Value(1), reader.GetBytes(pointer));
        using Pile next = Open();
        next.Replace(pointer, Value(2));
        Assert.Equal(Value(2), reader.GetBytes(pointer));
        BeginReplacement(pointer, Value(3));
        using Pile impatient = OpenReader(static options => options with { WriterTimeout = TimeSpan.FromMilliseconds(50) });
        Assert.Throws<PileBusyException>(() => impatient.GetBytes(pointer));
        RaiseSequence(pointer);
    }

    [Fact]
    public void A_file_of_stripes_that_is_damaged_is_refused_by_readers_and_made_anew_by_an_owner()
    {
        PilePointer pointer;
        using (Pile writer = Open())
            pointer = writer.Put(Value(1));
        WriteFile(StripePath, 3, [0x55]);
        Assert.Contains(StripePath, Assert.Throws<PileStorageException>(() => OpenReader()).Message, StringComparison.Ordinal);
        using Pile next = Open();
        using Pile reader = OpenReader();
        Assert.Equal(Value(1), reader.GetBytes(pointer));
    }

    [Fact]
    public void A_deleted_pointer_into_a_segment_that_is_gone_costs_nothing()
    {
        using Pile writer = Open();
        writer.Put("first");
        PilePointer[] pointers = [.. Enumerable.Range(0, 300).Select(_ => writer.Put(new byte[40_000]))];
        Array.ForEach(pointers, writer.Delete);
        writer.Trim();
        using Pile reader = OpenReader();
        Assert.False(reader.Contains(pointers[^1]));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
            Assert.False(reader.Contains(pointers[^1]));
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 100_000);
    }

    [Fact]
    public void Segments_that_the_writer_gave_back_are_unmapped()
    {
        using Pile writer = Open();
        writer.Blocks.Allocator.Pool.Growth.SpareWanted = null; // a reader counts it, as it is listed
        PilePointer first = writer.Put("first");
        using Pile reader = OpenReader();
        for (int round = 0; round < 3; round++)
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 300).Select(_ => writer.Put(new byte[40_000]))];
            Assert.Equal(40_000, reader.SizeOf(pointers[^1]));
            Assert.True(reader.Statistics.SegmentCount > 3);
            Array.ForEach(pointers, writer.Delete);
            writer.Trim();
            Assert.Equal("first", reader.Get(first));
            Assert.Equal(1, reader.Statistics.SegmentCount);
            Assert.Equal(SegmentBytes, reader.Statistics.ReservedBytes);
        }
        Eventually.True(() => reader.Blocks.Allocator.Pool.DroppedCount == 0);
        reader.Dispose();
        if (OperatingSystem.IsLinux())
            Assert.DoesNotContain(File.ReadLines("/proc/self/maps"), line =>
                line.Contains(PilePath, StringComparison.Ordinal) && line.Contains("(deleted)", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Readers_open_beside_a_writer_whose_segments_come_and_go()
    {
        using Pile writer = Open();
        PilePointer first = writer.Put("first");
        bool isOver = false;
        Task opening = SideBySide.Start(() =>
        {
            for (int i = 0; i < TestLeg.Steps(150, 3_000); i++)
            {
                using Pile reader = OpenReader();
                Assert.Equal("first", reader.Get(first));
            }
            Volatile.Write(ref isOver, true);
        });
        var value = new byte[40_000];
        while (!Volatile.Read(ref isOver) && !opening.IsCompleted)
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 120).Select(_ => writer.Put(value))];
            Array.ForEach(pointers, writer.Delete);
            writer.Trim();
        }
        await opening;
    }

    [Fact]
    public void A_segment_file_that_is_listed_and_missing_is_named()
    {
        using (Pile writer = Open())
            writer.Put("text");
        string segment = Path.Combine(PilePath, "segment-000000");
        File.Delete(segment);
        Assert.Contains(segment, Assert.Throws<PileStorageException>(() => OpenReader()).Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// A file that a killed owner left is marked when another one takes its name: a reader that maps it would never look for that one.
    /// </summary>
    [Fact]
    public void A_file_left_under_a_segments_name_is_marked_as_given_back()
    {
        using Pile writer = Open();
        PilePointer first = writer.Put("first");
        string left = Path.Combine(PilePath, "segment-000001");
        File.Copy(Path.Combine(PilePath, "segment-000000"), left);
        using var mapped = new FileStream(left, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        for (int i = 0; writer.Statistics.SegmentCount == 1; i++)
            writer.Put(new byte[40_000]);
        var magic = new byte[sizeof(ulong)];
        mapped.ReadExactly(magic);
        Assert.Equal(new byte[sizeof(ulong)], magic);
        Assert.Equal("first", writer.Get(first));
    }

    private Pile OpenReader(Func<PileOptions, PileOptions>? change = null) => Open(options =>
    {
        options = options with { ReadOnly = true, Synced = null };
        return change?.Invoke(options) ?? options;
    });

    // Each word has a CRC-32C of zero, so no checksum tells values, or mixtures of them, apart.
    private static byte[] Value(int number)
    {
        var value = new ulong[Words];
        Array.Fill(value, (uint)number | ((ulong)BitOperations.Crc32C(0, (uint)number) << 32));
        return MemoryMarshal.AsBytes<ulong>(value).ToArray();
    }

    // The stores of a replacement up to the middle of the payload.
    private void BeginReplacement(PilePointer pointer, byte[] value)
    {
        byte[] header = new byte[8];
        using (FileStream segment = OpenShared(SegmentPath(pointer)))
            RandomAccess.Read(segment.SafeFileHandle, header, PlaceOf(pointer));
        header[4] |= 0x10; // busy
        WriteSegment(pointer, 0, header);
        byte[] address = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(address, pointer.Address);
        WriteFile(StripePath, PlaceOfStripe(pointer) + 16, address);
        RaiseSequence(pointer);
        WriteSegment(pointer, 8, value[..(value.Length / 2)]);
    }

    private void RaiseSequence(PilePointer pointer) => Raise(PlaceOfStripe(pointer) + 8);

    private void RaiseChanges() => Raise(64);

    private void Raise(long place)
    {
        byte[] word = new byte[8];
        using (FileStream file = OpenShared(StripePath))
            RandomAccess.Read(file.SafeFileHandle, word, place);
        BinaryPrimitives.WriteUInt64LittleEndian(word, BinaryPrimitives.ReadUInt64LittleEndian(word) + 1);
        WriteFile(StripePath, place, word);
    }

    private long PlaceOfStripe(PilePointer pointer)
    {
        byte[] count = new byte[4];
        using FileStream file = OpenShared(StripePath);
        RandomAccess.Read(file.SafeFileHandle, count, 8);
        return StripeHeadBytes + (long)((pointer.Address >> 3) & (BinaryPrimitives.ReadUInt32LittleEndian(count) - 1)) * StripeBytes;
    }

    private string SegmentPath(PilePointer pointer) => Path.Combine(PilePath, $"segment-{(long)pointer.Address * 8 / SegmentBytes:d6}");

    private static long PlaceOf(PilePointer pointer) => (long)pointer.Address * 8 % SegmentBytes;

    private void WriteSegment(PilePointer pointer, int offset, byte[] bytes) =>
        WriteFile(SegmentPath(pointer), PlaceOf(pointer) + offset, bytes);

    private static void WriteFile(string path, long place, byte[] bytes)
    {
        using FileStream file = OpenShared(path);
        RandomAccess.Write(file.SafeFileHandle, bytes, place);
    }

    private static FileStream OpenShared(string path) =>
        new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
}
