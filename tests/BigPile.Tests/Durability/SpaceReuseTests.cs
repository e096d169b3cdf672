using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;

namespace BigPile.Tests.Durability;

/// <summary>What was freed and waits for a flush is room for every call that needs some.</summary>
public sealed class SpaceReuseTests : DurabilityTest
{
    private const int LengthBytes = 2_000;
    private const int Deleted = 300;

    private static readonly Dictionary<string, Action<Pile, PilePointer>> Ways = new()
    {
        ["Put of text"] = static (pile, _) => pile.Put(new string('s', LengthBytes)),
        ["Put of other text"] = static (pile, _) => pile.Put(new string('\u00e4', LengthBytes / 2)),
        ["Put of bytes"] = static (pile, _) => pile.Put(new byte[LengthBytes]),
        ["Put of an object"] = static (pile, _) => pile.Put(new long[LengthBytes / 8]),
        ["Put with room"] = static (pile, _) => pile.PutWithCapacity("s", LengthBytes),
        ["Put of parts"] = static (pile, _) => pile.Put(InParts(new byte[LengthBytes])),
        ["PutMany"] = static (pile, _) => pile.PutMany<byte[]>([new byte[LengthBytes], new byte[LengthBytes]], new PilePointer[2]),
        ["Allocate"] = static (pile, _) => pile.Allocate(LengthBytes),
        ["Put in the place of"] = static (pile, pointer) => pile.Replace(pointer, new byte[LengthBytes]),
        ["Put text in the place of"] = static (pile, pointer) => pile.Replace(pointer, new string('s', LengthBytes)),
        ["Write"] = static (pile, pointer) => pile.Write(pointer, new byte[10], 5),
    };

    public static TheoryData<string> AllWays => [.. Ways.Keys];

    [Theory]
    [MemberData(nameof(AllWays))]
    public void A_full_pile_has_room_once_something_was_deleted(string way)
    {
        using Pile pile = Open(static options => options with { MaxBytes = 2 * SegmentBytes });
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => Fill(pile, pointers));
        pile.Flush();
        pointers.Take(Deleted).ToList().ForEach(pile.Delete);
        Assert.NotEqual(0, pile.Engine.PendingFreeBytes);
        Ways[way](pile, pointers[^1]);
        Assert.True(pile.Verify().IsSound);
    }

    /// <summary>Nothing waits any more: then the pile is full, and as it was.</summary>
    [Theory]
    [MemberData(nameof(AllWays))]
    public void Without_anything_deleted_it_is_full(string way)
    {
        using Pile pile = Open(static options => options with { MaxBytes = 2 * SegmentBytes });
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => Fill(pile, pointers));
        pile.Flush();
        Assert.Throws<PileFullException>(() => Ways[way](pile, pointers[^1]));
        Assert.Equal(new byte[LengthBytes], pile.GetBytes(pointers[^1]));
        Assert.Equal(pointers.Count, pile.Statistics.ObjectCount);
        Assert.True(pile.Verify().IsSound);
    }

    /// <summary>The device refuses: each call says that there is no room, and none of them waits for ever.</summary>
    [Theory]
    [MemberData(nameof(AllWays))]
    public void A_flush_that_fails_makes_no_room(string way)
    {
        bool fails = false;
        using Pile pile = Open(options => options with
        {
            MaxBytes = 2 * SegmentBytes,
            Syncing = path => Refuse(fails, path),
        });
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => Fill(pile, pointers));
        pile.Flush();
        pointers.Take(Deleted).ToList().ForEach(pile.Delete);
        fails = true;
        Assert.Throws<PileFullException>(() => Ways[way](pile, pointers[^1]));
        fails = false;
        Ways[way](pile, pointers[^1]);
    }

    /// <summary>
    /// No flush empties the table of moved blocks: at its bound a call says so and changes nothing, and with the device all goes on.
    /// </summary>
    [Fact]
    public void When_the_table_of_shadow_headers_is_full_calls_flush_and_go_on()
    {
        bool fails = false;
        using Pile pile = Open(options => options with
        {
            SegmentBytes = 64 << 20,
            Syncing = path => Refuse(fails, path),
        });
        PilePointer[] pointers = [.. Enumerable.Range(0, ShadowHeaderTable.Capacity).Select(i => pile.Put(BitConverter.GetBytes(i)))];
        pile.Flush();
        fails = true;
        int replaced = 0;
        Assert.Throws<PileFullException>(() =>
        {
            for (; replaced < pointers.Length; replaced++)
                pile.Replace(pointers[replaced], BitConverter.GetBytes((long)replaced));
        });
        Assert.InRange(replaced, ShadowHeaderTable.Capacity / 16 * 15 - 1, ShadowHeaderTable.Capacity / 16 * 15);
        Assert.Equal(replaced, BitConverter.ToInt32(pile.GetBytes(pointers[replaced])));
        Assert.Throws<PileFullException>(() => pile.Write(pointers[replaced], [1]));
        pile.Delete(pointers[replaced]); // needs no place
        pile.Replace(pointers[0], [9]); // has one
        fails = false;
        pile.Replace(pointers[replaced + 1], [8]);
        Assert.InRange(pile.Blocks.ShadowHeaders.Count, 0, 1);
        Assert.Equal([9], pile.GetBytes(pointers[0]));
        Assert.Equal([8], pile.GetBytes(pointers[replaced + 1]));
        for (int i = 1; i < replaced; i++)
            Assert.Equal(i, BitConverter.ToInt64(pile.GetBytes(pointers[i])));
        Assert.True(pile.Verify().IsSound);
    }

    private static void Fill(Pile pile, List<PilePointer> pointers)
    {
        while (true)
            pointers.Add(pile.Put(new byte[LengthBytes]));
    }

    private static void Refuse(bool fails, string path)
    {
        if (fails)
            throw new IOException($"'{Path.GetFileName(path)}' is refused");
    }

    private static ReadOnlySequence<byte> InParts(byte[] bytes)
    {
        var last = new Part(bytes.AsMemory(bytes.Length / 2), bytes.Length / 2, null);
        return new ReadOnlySequence<byte>(new Part(bytes.AsMemory(0, bytes.Length / 2), 0, last), 0, last, last.Memory.Length);
    }

    private sealed class Part : ReadOnlySequenceSegment<byte>
    {
        internal Part(ReadOnlyMemory<byte> memory, long index, Part? next) => (Memory, RunningIndex, Next) = (memory, index, next);
    }
}
