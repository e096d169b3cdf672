using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Index;

/// <summary>An index that grows for entries which are still to come.</summary>
public sealed class GrowAheadTests
{
    [Fact]
    public void What_is_added_while_an_index_grows_ahead_is_found()
    {
        const int Count = 100_000;
        int seed = TestLeg.Seed(11);
        var random = new Random(seed);
        ulong[] hashes = [.. Enumerable.Range(0, Count).Select(_ => (ulong)random.NextInt64())];
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        Task growth = SideBySide.Start(() =>
        {
            while (index.GrowAheadFor(Count * 2))
            {
            }
        });
        for (int i = 0; i < Count; i++)
        {
            IndexSlots.Add(index, hashes[i], (ulong)i + 1);
            Assert.True(IndexSlots.Contains(index, hashes[i / 2], (ulong)(i / 2) + 1), $"seed {seed}, entry {i / 2}");
        }
        Assert.True(growth.Wait(Eventually.Timeout), $"seed {seed}");
        Assert.False(index.GrowAheadFor(Count * 2));
        Assert.InRange(index.BucketCount, Count * 2 / 4.3, Count * 2 / 4.1);
        for (int i = 0; i < Count; i++)
            Assert.True(IndexSlots.Contains(index, hashes[i], (ulong)i + 1), $"seed {seed}, entry {i}");
        Assert.Equal(Count, CountSlots(index));
    }

    private static int CountSlots(TableIndex index)
    {
        int count = 0;
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            foreach (SlotPlace _ in index.SlotsOf(number))
                count++;
        }
        return count;
    }
}
