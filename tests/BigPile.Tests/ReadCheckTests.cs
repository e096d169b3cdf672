using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Tests;

/// <summary>Each check of a read against the race that it is there for; and the same race without it, which must be noticed.</summary>
public sealed class ReadCheckTests
{
    private const int ValueCount = 7;
    private const int SpinsAlive = 30;
    private const int ChangesBefore = 100;

    [Theory]
    [InlineData(4_000)]
    [InlineData(30_000)]
    [InlineData(200_000)]
    public async Task A_value_replaced_by_one_of_the_same_length_is_read_whole(int length) =>
        Assert.Equal(0, await CountTornWhileReplaced(length, reads: 20_000_000 / length));

    [CrashPointFact]
    public void Without_the_sequence_a_value_that_is_replaced_half_way_is_read_torn()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        PilePointer pointer = pile.Put(Filled(30_000, 0));
        Assert.False(IsTorn(pile, pointer, () => pile.Replace(pointer, Filled(30_000, 1))));
        using var planted = new MutationScope("sequence-not-compared");
        Assert.True(IsTorn(pile, pointer, () => pile.Replace(pointer, Filled(30_000, 2))));
    }

    [Fact]
    public async Task A_value_deleted_and_its_slot_used_again_is_read_whole_or_not_at_all() =>
        Assert.Equal(0, await CountTornWhileDeleted(30_000, reads: 500_000));

    [CrashPointFact]
    public void Without_a_second_look_at_the_header_a_value_that_is_deleted_half_way_is_read_torn()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        Assert.False(IsTornWhenDeleted(pile));
        using var planted = new MutationScope("header-not-loaded-again");
        Assert.True(IsTornWhenDeleted(pile));
    }

    [CrashPointFact]
    public void Without_the_slot_check_a_stale_pointer_reads_what_looks_like_a_header()
    {
        const int Length = 1_000;
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = 4 << 20 });
        PilePointer[] stale = Fill(pile, new byte[16]);
        Array.ForEach(stale, pile.Delete);
        pile.Trim();
        ulong header = new BlockHeader(BlockKind.Bytes, 0, 8).Word;
        var imitation = new byte[Length];
        for (int i = 0; i < Length; i += sizeof(ulong))
            BitConverter.TryWriteBytes(imitation.AsSpan(i), header);
        Fill(pile, imitation);
        Assert.Equal(0, Count(pile, stale));
        using var planted = new MutationScope("slot-not-checked");
        Assert.NotEqual(0, Count(pile, stale));
    }

    private static int Count(Pile pile, PilePointer[] pointers)
    {
        int count = 0;
        foreach (PilePointer pointer in pointers)
        {
            var reader = default(BytesReader);
            count += pile.Reader.TryRead(pointer, ref reader) ? 1 : 0;
        }
        return count;
    }

    private static PilePointer[] Fill(Pile pile, byte[] value)
    {
        var pointers = new System.Collections.Generic.List<PilePointer>();
        try
        {
            for (int i = 0; i < int.MaxValue; i++)
                pointers.Add(pile.Put(value));
        }
        catch (PileFullException)
        {
            Assert.NotEmpty(pointers);
        }
        return [.. pointers];
    }

    // Values of one length, long enough to be met half-way; the header is the same before and after.
    private static async Task<int> CountTornWhileReplaced(int length, int reads)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        PilePointer pointer = pile.Put(Filled(length, 0));
        return await CountTornWhile(pile, reads, () => pointer, fill => pile.Replace(pointer, Filled(length, fill)));
    }

    // Few slots, freed and used again at once: a reader that does not look again reads the next object.
    private static async Task<int> CountTornWhileDeleted(int length, int reads)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        ulong current = 0;
        return await CountTornWhile(pile, reads, () => PilePointer.FromUInt64(Volatile.Read(ref current)), fill =>
        {
            PilePointer pointer = pile.Put(Filled(length, fill));
            Volatile.Write(ref current, pointer.ToUInt64());
            Thread.SpinWait(SpinsAlive); // long enough for a copy to begin, and not for it to end
            pile.Delete(pointer);
        });
    }

    // Its slot is used again before the second half is read.
    private static bool IsTornWhenDeleted(Pile pile)
    {
        PilePointer pointer = pile.Put(Filled(30_000, 0));
        return IsTorn(pile, pointer, () =>
        {
            pile.Delete(pointer);
            PilePointer next = pile.Put(Filled(30_000, 1));
            Assert.Equal(pointer.Address, next.Address);
        });
    }

    private static bool IsTorn(Pile pile, PilePointer pointer, Action meanwhile)
    {
        var reader = new HalfwayReader(meanwhile);
        return pile.Reader.TryRead(pointer, ref reader)
            && reader.Result.AsSpan().ContainsAnyExcept(reader.Result[0]);
    }

    // Ends at the first torn value: one is enough, and a check that works is given all the reads.
    private static async Task<int> CountTornWhile(Pile pile, int reads, Func<PilePointer> pointer, Action<int> change)
    {
        using var stop = new CancellationTokenSource();
        int changes = 0;
        Task writer = SideBySide.Start(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                change(i % ValueCount);
                Volatile.Write(ref changes, i);
            }
        });
        int torn = 0;
        // Only reads beside a writer that is well under way count.
        for (int read = 0; read < reads && torn == 0 && !writer.IsCompleted;)
        {
            var reader = default(BytesReader);
            if (pile.Reader.TryRead(pointer(), ref reader))
                torn += reader.Result.AsSpan().ContainsAnyExcept(reader.Result[0]) ? 1 : 0;
            read += Volatile.Read(ref changes) > ChangesBefore ? 1 : 0;
        }
        await stop.CancelAsync();
        await writer;
        return torn;
    }

    private static byte[] Filled(int length, int fill)
    {
        var value = new byte[length];
        value.AsSpan().Fill((byte)(fill + 1));
        return value;
    }

    /// <summary>Reads a half, has something happen once, and reads the other half.</summary>
    private unsafe struct HalfwayReader(Action meanwhile) : IPayloadReader
    {
        private Action? _meanwhile = meanwhile;

        internal byte[] Result { get; private set; } = [];

        public void Read(byte* payload, long lengthBytes, BlockKind kind)
        {
            int half = (int)lengthBytes / 2;
            Result = new byte[lengthBytes];
            new ReadOnlySpan<byte>(payload, half).CopyTo(Result);
            _meanwhile?.Invoke();
            _meanwhile = null;
            new ReadOnlySpan<byte>(payload + half, Result.Length - half).CopyTo(Result.AsSpan(half));
        }
    }
}
