using System.Runtime.CompilerServices;

namespace BigPile.Caching.Index;

/// <summary>Enumerates the lines of a bucket. Without the bucket's lock the result is a hint.</summary>
internal unsafe struct BucketLines(TableIndex index, Bucket* first)
{
    private Bucket* _next = first;
    private int _lines;

    public Bucket* Current { get; private set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        Current = _next;
        if (Current == null)
            return false;
        _next = ++_lines < TableIndex.MostLines ? index.Next(Current) : null;
        return true;
    }

    public readonly BucketLines GetEnumerator() => this;
}
