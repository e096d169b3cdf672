using BigPile.Caching.Index;

namespace BigPile.Caching.Tests;

/// <summary>A free overflow line with a damaged control word: nothing reads it before a bucket gets it.</summary>
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
        using var index = new TableIndex(new MemoryIndexStorage(), 0);
        TakeLine(index, 3);
        uint number = index.At(3)->Next;
        index.LockBucket(3).Dispose();
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
        using var index = new TableIndex(new MemoryIndexStorage(), 0) { Damaged = () => damage++ };
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

    [Fact]
    public void A_line_that_two_buckets_lead_to_goes_back_once()
    {
        int damage = 0;
        using var index = new TableIndex(new MemoryIndexStorage(), 0) { Damaged = () => damage++ };
        TakeLine(index, 0);
        uint number = index.At(0)->Next;
        index.At(1)->Next = number;
        Split(index, 2);
        Assert.Equal(1, damage);
        TakeLine(index, 2);
        TakeLine(index, 3);
        Assert.Equal(number, index.At(2)->Next);
        Assert.NotEqual(number, index.At(3)->Next);
    }

    [Fact]
    public void A_split_ends_a_chain_that_leads_back_into_itself_before_it_copies()
    {
        int damage = 0;
        using var index = new TableIndex(new MemoryIndexStorage(), 0) { Damaged = () => damage++ };
        Bucket* line = index.At(0);
        for (int lines = 0; lines < 3; lines++)
        {
            TakeLine(index, 0);
            line = index.Overflow.At(line->Next);
        }
        ulong relocated = index.BucketCount; // a hash with the bit that decides
        Bucket.Store(line, 0, new IndexSlot(relocated, 64));
        Bucket.Store(line, 1, new IndexSlot(0, 128));
        line->Next = index.At(0)->Next;
        Split(index, 1);
        Assert.Equal(1, damage);
        Assert.True(IndexSlots.Contains(index, relocated, 64));
        Assert.True(IndexSlots.Contains(index, 0, 128));
        Assert.Equal(0u, index.Overflow.Used);
        Assert.Equal(2, new IndexCheck(index).Run());
    }

    private static void Split(TableIndex index, ulong buckets)
    {
        ulong end = index.BucketCount + buckets;
        for (long entries = 1; index.BucketCount < end; entries++)
            index.GrowFor(entries);
    }

    private static void TakeLine(TableIndex index, ulong number)
    {
        LockedBucket bucket = index.LockBucket(number);
        _ = index.AddLineLocked(bucket, out _);
        index.Locks.Exit(number); // disposed, it would give the empty line back
    }
}
