using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Allocation;
using BigPile.Memory;

namespace BigPile.Tests;

/// <summary>The store fails at its first, second, third … growth; the pile is unchanged, and goes on when there is space again.</summary>
public sealed class GrowthFailureTests
{
    public static TheoryData<int, bool> Failures
    {
        get
        {
            var data = new TheoryData<int, bool>();
            for (int growth = 1; growth <= 6; growth++)
            {
                data.Add(growth, true);
                data.Add(growth, false);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Failures))]
    public void A_failed_growth_loses_nothing(int failingGrowth, bool outOfMemory)
    {
        var store = new FailingStore(failingGrowth, outOfMemory);
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20, CustomStore = store });
        var live = new Dictionary<PilePointer, int>();
        int failures = 0;
        for (int i = 0; i < 3_000; i++)
        {
            try
            {
                Change(pile, live, i);
            }
            catch (PileFullException e)
            {
                failures++;
                Assert.IsType(outOfMemory ? typeof(OutOfMemoryException) : typeof(IOException), e.InnerException);
                Assert.Contains("could not grow", e.Message, StringComparison.Ordinal);
                Check(pile, live);
                store.HasSpace = true;
                Change(pile, live, i);
            }
        }
        Assert.Equal(1, failures);
        Check(pile, live);
    }

    private static void Change(Pile pile, Dictionary<PilePointer, int> live, int i)
    {
        int length = i % 40 == 0 ? 400_000 : 9_000 + i;
        if (i % 7 == 3)
        {
            PilePointer pointer = live.Keys.ElementAt(i / 7);
            pile.Replace(pointer, ValueOf(length));
            live[pointer] = length;
            return;
        }
        live[pile.Put(ValueOf(length))] = length;
    }

    private static void Check(Pile pile, Dictionary<PilePointer, int> live)
    {
        PileStatistics s = pile.Statistics;
        Assert.Equal(live.Count, s.ObjectCount);
        Assert.Equal(live.Values.Sum(static length => (long)length), s.PayloadBytes);
        Assert.Equal(s.ReservedBytes, s.CommittedBytes + s.UnusedBytes);
        Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes);
        foreach ((PilePointer pointer, int length) in live)
            Assert.True(pile.GetBytes(pointer).AsSpan().SequenceEqual(ValueOf(length)));
    }

    private static byte[] ValueOf(int length)
    {
        var value = new byte[length];
        value.AsSpan().Fill((byte)length);
        return value;
    }

    private sealed class FailingStore(int failingGrowth, bool outOfMemory) : SegmentStore
    {
        private readonly MemorySegmentStore _store = new(StoreKind.Native, hugePages: false);
        private int _growths;

        internal bool HasSpace { get; set; }

        internal override StoreKind Kind => _store.Kind;

        internal override MemoryRegion Create(int number, long lengthBytes)
        {
            if (++_growths >= failingGrowth && !HasSpace)
                throw outOfMemory ? new OutOfMemoryException("no memory") : new IOException("no space");
            return _store.Create(number, lengthBytes);
        }
    }
}
