using BigPile.Caching.Index;

namespace BigPile.Caching.Tests;

/// <summary>A free overflow line whose control word was damaged: nothing looks at it until a bucket gets it.</summary>
public sealed unsafe class FreeLineTests
{
    private const int StateByte = 2;

    [Theory]
    [InlineData(0)] // how often the entries were used
    [InlineData(1)]
    [InlineData(StateByte)]
    [InlineData(3)] // marks
    public void A_damaged_control_word_of_a_free_line_is_gone_when_the_line_is_taken(int at)
    {
        using var index = new TableIndex(new MemoryPlace(), 0);
        TakeLine(index, 3);
        uint number = index.At(3)->Next;
        using (LockedBucket bucket = index.LockBucket(3))
            index.Overflow.Return(bucket.First, 3);
        ((byte*)index.Overflow.At(number))[at] = 4;
        TakeLine(index, 7);
        Assert.Equal(number, index.At(7)->Next);
        Assert.Equal(0u, *(uint*)index.Overflow.At(number));
        new IndexCheck(index).Run();
    }

    [Fact]
    public void A_split_ends_a_chain_that_leads_nowhere_before_it_gives_the_line_back()
    {
        const uint NoLine = 1 << 18;
        int damage = 0;
        using var index = new TableIndex(new MemoryPlace(), 0) { Damaged = () => damage++ };
        TakeLine(index, 0);
        uint number = index.At(0)->Next;
        index.Overflow.At(number)->Next = NoLine;
        ulong buckets = index.BucketCount;
        for (long entries = 1; index.BucketCount == buckets; entries *= 2)
            index.GrowFor(entries);
        Assert.Equal(1, damage);
        Assert.Equal(0u, index.At(0)->Next);
        TakeLine(index, 1);
        Assert.Equal(number, index.At(1)->Next);
    }

    private static void TakeLine(TableIndex index, ulong number)
    {
        using LockedBucket bucket = index.LockBucket(number);
        _ = index.AddLineLocked(bucket);
    }
}
