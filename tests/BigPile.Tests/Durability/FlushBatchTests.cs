using System;
using BigPile.Durability;

namespace BigPile.Tests.Durability;

public sealed class FlushBatchTests
{
    private const int Seed = 5;

    [Fact]
    public void What_was_added_stays_as_it_was_while_it_grows()
    {
        var random = new Random(Seed);
        var expected = new byte[3 << 20];
        Noise.Fill(expected, random.NextInt64());
        using var batch = new FlushBatch();
        Assert.Equal(new byte[FlushLog.HeadBytes], batch.Bytes.ToArray());
        for (int at = 0; at < expected.Length;)
        {
            int lengthBytes = Math.Min(random.Next(100_000), expected.Length - at);
            expected.AsSpan(at, lengthBytes).CopyTo(batch.Add(lengthBytes));
            at += lengthBytes;
        }
        Assert.Equal(FlushLog.HeadBytes + expected.Length, batch.LengthBytes);
        Assert.True(batch.Bytes[FlushLog.HeadBytes..].SequenceEqual(expected), $"seed {Seed}");
    }

    [Fact]
    public void A_flush_of_many_megabytes_leaves_none_of_them_on_the_managed_heap()
    {
        const int Objects = 20;
        using var directory = new TemporaryDirectory();
        using Pile pile = Pile.Open(directory.Path);
        pile.Flush();
        var value = new byte[1 << 20];
        for (int i = 0; i < Objects; i++)
            pile.Put(value.AsSpan());
        long before = GC.GetAllocatedBytesForCurrentThread();
        pile.Flush();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, value.Length);
        Assert.Equal(Objects, pile.Statistics.ObjectCount);
    }
}
