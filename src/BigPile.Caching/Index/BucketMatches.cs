using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Caching.Index;

/// <summary>Enumerates the occupied slots of a locked bucket that have a tag.</summary>
internal unsafe struct BucketMatches
{
    private readonly TableIndex _index;
    private readonly ulong _tag;
    private Bucket* _line;
    private uint _left; // a bit for each matching slot of the line that is still to come
    private int _slot;
    private int _lines;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BucketMatches(TableIndex index, Bucket* first, ulong tag)
    {
        _index = index;
        _tag = tag;
        _line = first;
        _left = Bucket.Match(first, tag);
        _slot = -1;
        _lines = 0;
    }

    public readonly SlotPlace Current => new(_line, _slot);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        while (true)
        {
            while (_left != 0)
            {
                _slot = BitOperations.TrailingZeroCount(_left);
                _left &= _left - 1;
                if (!Bucket.Load(_line, _slot).IsEmpty) // the tag 0 also matches empty slots
                    return true;
            }
            _line = ++_lines < TableIndex.MostLines ? _index.Next(_line) : null;
            if (_line == null)
                return false;
            _left = Bucket.Match(_line, _tag);
        }
    }

    public readonly BucketMatches GetEnumerator() => this;
}
