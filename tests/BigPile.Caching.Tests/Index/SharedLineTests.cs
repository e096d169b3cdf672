using System;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tests.Index;

/// <summary>Two buckets of a damaged index lead to one line, which one of them gives back while the index is inspected.</summary>
public sealed unsafe class SharedLineTests : IDisposable
{
    private const ulong Owner = 3;
    private const ulong Other = 7;
    private const ulong Third = 11;

    private readonly TableIndex _index;
    private int _damage;

    public SharedLineTests()
    {
        _index = new TableIndex(new MemoryIndexStorage(), 0) { Damaged = () => _damage++ };
        TakeLine(Owner);
        _index.At(Other)->Next = _index.At(Owner)->Next;
    }

    public void Dispose() => _index.Dispose();

    [Fact]
    public void A_line_that_went_to_a_third_bucket_is_not_that_of_one_that_still_leads_there()
    {
        _index.BeginInspection();
        GiveLineBack(Owner);
        TakeLine(Third);
        InspectFrom(0);
        Assert.NotEqual(0, _damage);
        AssertIsOfThirdAlone();
    }

    [Fact]
    public void A_line_that_went_to_a_third_bucket_behind_the_look_at_it_is_looked_at_again()
    {
        _index.BeginInspection();
        Inspect(Other);
        GiveLineBack(Owner);
        TakeLine(Third);
        for (ulong number = 0; number < _index.BucketCount; number++)
        {
            if (number is not (Other or Third)) // as if the third one was born since
                Inspect(number);
        }
        _index.EndInspection(isWhole: true);
        Assert.Equal(1, _damage);
        _index.BeginInspection();
        InspectFrom(0);
        Assert.Equal(2, _damage);
        new IndexCheck(_index).Run();
    }

    [Fact]
    public void A_free_line_that_a_bucket_leads_to_is_not_given_away_unseen()
    {
        GiveLineBack(Owner);
        _index.BeginInspection();
        Inspect(Other);
        TakeLine(Third);
        for (ulong number = Other + 1; number < _index.BucketCount; number++)
        {
            if (number != Third)
                Inspect(number);
        }
        _index.EndInspection(isWhole: true);
        Assert.Equal(1, _damage);
    }

    private void TakeLine(ulong number)
    {
        LockedBucket bucket = _index.LockBucket(number);
        _ = _index.AddLineLocked(bucket, out _);
        _index.Locks.Exit(number); // disposed, it would give the empty line back
    }

    private void GiveLineBack(ulong number)
    {
        LockedBucket bucket = _index.LockBucket(number);
        Assert.True(_index.Overflow.TryShorten(bucket, bucket.First, number)); // as a split does
        _index.Locks.Exit(number);
    }

    private void Inspect(ulong number)
    {
        using LockedBucket bucket = _index.LockBucket(number);
        _index.InspectLocked(bucket);
    }

    private void InspectFrom(ulong first)
    {
        for (ulong number = first; number < _index.BucketCount; number++)
            Inspect(number);
        _index.EndInspection(isWhole: true);
    }

    private void AssertIsOfThirdAlone()
    {
        Assert.Equal(0u, _index.At(Other)->Next);
        Assert.NotEqual(0u, _index.At(Third)->Next);
        new IndexCheck(_index).Run();
    }
}
