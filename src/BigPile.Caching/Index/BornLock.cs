namespace BigPile.Caching.Index;

/// <summary>Holds the lock of a split's new bucket until disposed. Takes none if the old bucket's lock is the same one.</summary>
internal readonly ref struct BornLock
{
    private readonly TableIndex _index;
    private readonly bool _isOwn; // whether Dispose releases the lock: the new bucket does not share the old one's

    /// <summary>Takes the lock.</summary>
    internal unsafe BornLock(TableIndex index, in LockedBucket old, ulong number)
    {
        _index = index;
        _isOwn = !index.Locks.IsShared(old.Number, number);
        if (_isOwn)
            index.Locks.Enter(number);
        Bucket = new LockedBucket(index, index.At(number), number);
    }

    /// <summary>The new bucket. Do not dispose it: this type releases its lock.</summary>
    internal LockedBucket Bucket { get; }

    public void Dispose()
    {
        if (_isOwn)
            _index.Locks.Exit(Bucket.Number);
    }
}
