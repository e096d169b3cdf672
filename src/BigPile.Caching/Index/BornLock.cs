namespace BigPile.Caching.Index;

/// <summary>The lock of the bucket that a split makes, until this is disposed; held by the old one's where both have the same.</summary>
internal readonly ref struct BornLock
{
    private readonly TableIndex _index;
    private readonly bool _isOwn;

    /// <summary>Takes it.</summary>
    internal unsafe BornLock(TableIndex index, in LockedBucket old, ulong number)
    {
        _index = index;
        _isOwn = !index.Locks.IsShared(old.Number, number);
        if (_isOwn)
            index.Locks.Enter(number);
        Bucket = new LockedBucket(index, index.At(number), number);
    }

    /// <summary>The new bucket. It is not to be disposed of.</summary>
    internal LockedBucket Bucket { get; }

    public void Dispose()
    {
        if (_isOwn)
            _index.Locks.Exit(Bucket.Number);
    }
}
