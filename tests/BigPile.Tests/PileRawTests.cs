using System;
using System.Buffers;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Tests;

public sealed class PileRawTests : IDisposable
{
    private readonly Pile _pile = new(new PileOptions { SegmentBytes = 4 << 20 });

    public void Dispose() => _pile.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(5_000_000)]
    public void Allocated_bytes_are_zero_also_in_memory_that_was_used_before(int length)
    {
        byte[] dirt = new byte[length];
        dirt.AsSpan().Fill(0xEE);
        for (int i = 0; i < 3; i++)
            _pile.Delete(_pile.Put(dirt));
        PilePointer pointer = _pile.Allocate(length);
        Assert.Equal(length, _pile.SizeOf(pointer));
        Assert.False(_pile.GetBytes(pointer).AsSpan().ContainsAnyExcept((byte)0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _pile.Allocate(-1));
    }

    [Fact]
    public void Parts_are_written_and_read_where_they_lie()
    {
        PilePointer pointer = _pile.Allocate(10);
        _pile.Write(pointer, [1, 2, 3], 7);
        _pile.Write(pointer, [9]);
        Assert.Equal([9, 0, 0, 0, 0, 0, 0, 1, 2, 3], _pile.GetBytes(pointer));
        var part = new byte[5];
        Assert.Equal(3, _pile.Read(pointer, part, 7));
        Assert.Equal([1, 2, 3, 0, 0], part);
        Assert.Equal(0, _pile.Read(pointer, part, 10));
        Assert.Equal(0, _pile.Read(pointer, part, 1_000));
        Assert.Throws<ArgumentOutOfRangeException>(() => _pile.Read(pointer, part, -1));
    }

    [Theory]
    [InlineData(8, 3)]
    [InlineData(11, 0)]
    [InlineData(-1, 1)]
    [InlineData(int.MaxValue, 1)]
    public void A_write_outside_is_refused_and_changes_nothing(int offset, int length)
    {
        PilePointer pointer = _pile.Put(new byte[10]);
        Assert.Throws<ArgumentOutOfRangeException>(() => _pile.Write(pointer, new byte[length], offset));
        _pile.Write(pointer, [1]);
        Assert.Equal(10, _pile.SizeOf(pointer));
    }

    [Fact]
    public void A_part_behind_a_link_is_written_there()
    {
        PilePointer pointer = _pile.Put(new byte[10]);
        _pile.Replace(pointer, new byte[500]);
        _pile.Write(pointer, [7], 499);
        Assert.Equal(7, _pile.GetBytes(pointer)[499]);
        Assert.Throws<ArgumentOutOfRangeException>(() => _pile.Write(pointer, [7], 500));
        Assert.Equal(1, _pile.Statistics.LinkCount);
    }

    [Fact]
    public void A_sequence_of_several_parts_is_stored_as_one()
    {
        var last = new Part([4, 5, 6], 3);
        var first = new Part([1, 2, 3], 0) { Following = last };
        PilePointer pointer = _pile.Put(new ReadOnlySequence<byte>(first, 1, last, 2));
        Assert.Equal([2, 3, 4, 5], _pile.GetBytes(pointer));
        Assert.Empty(_pile.GetBytes(_pile.Put(ReadOnlySequence<byte>.Empty)));
    }

    [Fact]
    public void A_payload_goes_to_a_writer_in_one_piece()
    {
        var writer = new ArrayBufferWriter<byte>();
        Assert.Equal(3, _pile.Read(_pile.Put([1, 2, 3]), writer));
        Assert.Equal(0, _pile.Read(_pile.Put(Array.Empty<byte>()), writer));
        Assert.Equal([1, 2, 3], writer.WrittenSpan.ToArray());
        Assert.Throws<PilePointerException>(() => _pile.Read(PilePointer.Invalid, writer));
        Assert.Equal(3, writer.WrittenCount);
    }

    [Fact]
    public void A_preallocated_object_grows_without_a_link()
    {
        PilePointer roomy = _pile.PutWithCapacity("a", 1_000);
        PilePointer tight = _pile.Put("a");
        foreach (PilePointer pointer in new[] { roomy, tight })
            _pile.Replace(pointer, new string('b', 1_000));
        Assert.Equal(1, _pile.Statistics.LinkCount);
        Assert.Equal(2_000, _pile.Statistics.PayloadBytes);
        _pile.Delete(tight);
        Assert.Equal(0, _pile.Statistics.LinkCount);
        Assert.Equal(new string('b', 1_000), _pile.Get(roomy));
        Assert.Throws<ArgumentOutOfRangeException>(() => _pile.PutWithCapacity("a", -1));
        Assert.Equal(50, _pile.SizeOf(_pile.PutWithCapacity(new byte[50], 10)));
    }

    [Fact]
    public void A_payload_over_the_limit_is_refused_with_the_numbers()
    {
        var error = Assert.Throws<PileException>(() => _pile.Allocate(int.MaxValue));
        Assert.Contains("2,147,483,647", error.Message, StringComparison.Ordinal);
        Assert.Contains("1,073,741,824", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, _pile.Statistics.ObjectCount);
    }

    /// <summary>
    /// The long leg takes the largest payload that there is; the other one a payload that is larger than a segment all the same.
    /// </summary>
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void A_payload_larger_than_a_segment_has_segments_of_its_own(StoreKind store)
    {
        int length = TestLeg.Steps(normal: 50_000_000, longLeg: 1 << 30);
        using var pile =
            new Pile(new PileOptions { Store = store, SegmentBytes = TestLeg.IsLong ? PileOptions.DefaultSegmentBytes : 4 << 20 });
        PilePointer pointer = pile.Allocate(length);
        pile.Write(pointer, "end"u8, length - 3);
        var end = new byte[3];
        Assert.Equal(3, pile.Read(pointer, end, length - 3));
        Assert.Equal("end"u8, end);
        Assert.Equal(length, Assert.Single(pile).SizeBytes);
        pile.Delete(pointer);
        pile.Trim();
        Assert.Equal(0, pile.Statistics.ObjectCount);
        Assert.Equal(1, pile.Statistics.SegmentCount);
    }

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void A_lease_keeps_its_bytes_while_the_pointer_is_replaced_and_deleted(StoreKind store)
    {
        using var pile = new Pile(new PileOptions { Store = store, SegmentBytes = 4 << 20 });
        PilePointer pointer = pile.Put("the first text");
        using (PileLease lease = pile.Lease(pointer))
        {
            Assert.Equal(PayloadKind.String, lease.Kind);
            pile.Replace(pointer, "the other one!");
            pile.Write(pointer, "THE"u8);
            Assert.Equal("THE other one!", pile.Get(pointer));
            pile.Delete(pointer);
            Assert.False(pile.Contains(pointer));
            for (int i = 0; i < 10_000; i++)
                pile.Put(new string('x', 14));
            Assert.Equal("the first text"u8, lease.Span);
            Assert.Equal(10_000, pile.Statistics.ObjectCount);
            Assert.Equal(10_000, pile.Count());
        }
        PileStatistics statistics = pile.Statistics;
        Assert.Equal(10_000, statistics.ObjectCount);
        Assert.Equal(140_000, statistics.PayloadBytes);
    }

    [Fact]
    public void A_lease_behind_a_link_keeps_the_target()
    {
        PilePointer pointer = _pile.Put("x");
        _pile.Replace(pointer, new string('y', 300));
        using PileLease first = _pile.Lease(pointer);
        using PileLease second = _pile.Lease(pointer);
        _pile.Replace(pointer, new string('z', 300));
        _pile.Replace(pointer, "w");
        Assert.Equal(300, first.Memory.Length);
        Assert.Equal(new string('y', 300), System.Text.Encoding.ASCII.GetString(first.Span));
        first.Dispose();
        Assert.Equal(new string('y', 300), System.Text.Encoding.ASCII.GetString(second.Span));
        Assert.Equal("w", _pile.Get(pointer));
    }

    [Fact]
    public void An_ended_lease_gives_no_bytes_and_ends_once()
    {
        PilePointer pointer = _pile.Put("x");
        PileLease lease = _pile.Lease(pointer);
        ReadOnlyMemory<byte> memory = lease.Memory;
        lease.Dispose();
        lease.Dispose();
        Assert.Throws<ObjectDisposedException>(() => lease.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => memory.Span.Length);
        _pile.Replace(pointer, "y");
        Assert.Equal(0, _pile.Statistics.LinkCount);
        Assert.Throws<PilePointerException>(() => _pile.Lease(default));
    }

    [Fact]
    public void A_lease_may_outlive_its_pile()
    {
        var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        PileLease lease = pile.Lease(pile.Put("still here"));
        pile.Dispose();
        Assert.Equal("still here"u8, lease.Span);
        lease.Dispose();
        Assert.Throws<ObjectDisposedException>(() => lease.Span.Length);
    }

    [Fact]
    public async Task Leases_beside_replacers_and_deleters_never_change()
    {
        const int Length = 3_000;
        ulong shared = _pile.Put(Filled(1)).ToUInt64();
        using var stop = new CancellationTokenSource();
        Task writer = SideBySide.Start(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                var pointer = PilePointer.FromUInt64(shared);
                if (i % 16 != 0)
                {
                    _pile.Replace(pointer, Filled(i % 200));
                    continue;
                }
                Volatile.Write(ref shared, _pile.Put(Filled(i % 200)).ToUInt64());
                _pile.Delete(pointer);
            }
        });
        for (int i = 0; i < 30_000; i++)
        {
            if (!_pile.TryLease(PilePointer.FromUInt64(Volatile.Read(ref shared)), out PileLease? lease))
                continue;
            byte fill = lease.Span[0];
            for (int attempt = 0; attempt < 5; attempt++)
                Assert.Equal(-1, lease.Span.IndexOfAnyExcept(fill));
            Assert.Equal(Length, lease.Span.Length);
            lease.Dispose();
        }
        await stop.CancelAsync();
        await writer;
        Assert.Equal(1, _pile.Statistics.ObjectCount);
        Assert.Equal(Length, _pile.Statistics.PayloadBytes);

        static byte[] Filled(int fill)
        {
            var bytes = new byte[Length];
            bytes.AsSpan().Fill((byte)fill);
            return bytes;
        }
    }

    private sealed class Part : ReadOnlySequenceSegment<byte>
    {
        internal Part(byte[] bytes, long index)
        {
            Memory = bytes;
            RunningIndex = index;
        }

        internal Part Following
        {
            init => Next = value;
        }
    }
}
