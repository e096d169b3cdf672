using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests;

// What a pointer that names nothing gives.
public abstract partial class PileContract
{
    [Fact]
    public void The_invalid_pointer_names_nothing()
    {
        Pile pile = NewPile();
        Assert.False(default(PilePointer).IsValid);
        Assert.False(pile.TryGet(PilePointer.Invalid, out _));
        Assert.Throws<PilePointerException>(() => pile.Get(default));
        Assert.Throws<PilePointerException>(() => pile.Delete(default));
        Assert.Throws<PilePointerException>(() => pile.Replace(default(PilePointer), "x"));
        Assert.False(pile.Contains(default));
    }

    [Fact]
    public void A_forged_pointer_names_nothing_unless_it_is_that_of_an_object()
    {
        Pile pile = NewPile();
        for (int i = 0; i < 1000; i++)
            pile.Put(BytesOf(40, i));
        HashSet<ulong> real = [.. pile.Select(static entry => entry.Pointer.ToUInt64())];
        Assert.Equal(1000, real.Count);
        var found = new HashSet<ulong>();
        var random = new Random(5);
        for (int i = 0; i < 200_000; i++)
        {
            ulong address = (ulong)random.NextInt64(0, i % 2 == 0 ? SegmentBytes / 8 : 1L << 36);
            ulong forged = address | ((ulong)(i % 3) << 36);
            if (pile.TryGet(PilePointer.FromUInt64(forged), out _))
                found.Add(forged);
        }
        Assert.NotEmpty(found); // some hit by chance: what is refused is refused for what it is
        Assert.Subset(real, found);
        Assert.False(pile.TryGet(PilePointer.FromUInt64(ulong.MaxValue), out _));
    }

    [Fact]
    public void A_pointer_to_a_deleted_object_names_nothing_for_ever()
    {
        Pile pile = NewPile();
        var stale = new List<PilePointer>();
        for (int round = 0; round < 50; round++)
        {
            PilePointer[] pointers = [.. Enumerable.Range(0, 100).Select(i => pile.Put("object " + (i + round)))];
            foreach (PilePointer pointer in pointers)
                pile.Delete(pointer);
            stale.AddRange(pointers);
        }
        for (int i = 0; i < 100; i++)
            pile.Put("living " + i);
        Assert.Equal(stale.Count, stale.Distinct().Count());
        Assert.All(stale, pointer =>
        {
            Assert.False(pile.TryGet(pointer, out _));
            Assert.False(pile.TryDelete(pointer));
            Assert.False(pile.TryReplace(pointer, "x"));
        });
        Assert.Equal(100, pile.Statistics.ObjectCount);
    }

    /// <summary>Pages change their slot size, and the new payloads are words that look like headers of any generation.</summary>
    [Fact]
    public void A_stale_pointer_into_a_page_of_another_slot_size_is_recognized()
    {
        Pile pile = NewPile(maxBytes: SegmentBytes);
        var stale = new List<PilePointer>();
        foreach (int size in new[] { 24, 56, 120, 200, 24, 1000 })
        {
            var pointers = new List<PilePointer>();
            Fill(pile, HeaderLikeBytes(size), pointers);
            foreach (PilePointer pointer in stale)
                Assert.False(pile.TryGet(pointer, out _), $"{pointer} at size {size}");
            foreach (PilePointer pointer in pointers)
                pile.Delete(pointer);
            pile.Trim();
            stale = [.. pointers.Take(20_000)];
        }
    }

    // Every word is the header of a live string of 8 bytes with generation 0, which is what the first pointers to a slot hold.
    private static byte[] HeaderLikeBytes(int length)
    {
        ulong header = new BlockHeader(BlockKind.String, 0, 8).Word;
        return [.. Enumerable.Range(0, length).Select(i => (byte)(header >> i % 8 * 8))];
    }
}
