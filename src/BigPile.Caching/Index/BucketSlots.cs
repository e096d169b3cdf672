using System.Runtime.CompilerServices;

namespace BigPile.Caching.Index;

/// <summary>Enumerates the occupied slots of a bucket, or of one line of it. Without the bucket's lock the result is a hint.</summary>
/// <param name="index">The index; <see langword="null"/>: only the first line.</param>
/// <param name="first">The line to begin with.</param>
internal unsafe struct BucketSlots(TableIndex? index, Bucket* first)
{
    private Bucket* _line = first;
    private int _slot = -1;
    private int _lines;

    public readonly SlotPlace Current => new(_line, _slot);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        while (_line != null)
        {
            while (++_slot < Bucket.SlotCount)
            {
                if (!Bucket.Load(_line, _slot).IsEmpty)
                    return true;
            }
            _slot = -1;
            _line = index != null && ++_lines < TableIndex.MostLines ? index.Next(_line) : null;
        }
        return false;
    }

    public readonly BucketSlots GetEnumerator() => this;

    /// <summary>The number of slots from here to the end.</summary>
    internal readonly int Count
    {
        get
        {
            int count = 0;
            foreach (SlotPlace _ in this)
                count++;
            return count;
        }
    }

    /// <summary>Whether some slot has a value.</summary>
    internal readonly bool Has(IndexSlot value)
    {
        foreach (SlotPlace place in this)
        {
            if (place.Value.Word == value.Word)
                return true;
        }
        return false;
    }

    /// <summary>Whether some slot before another one has the same value.</summary>
    internal readonly bool HasBefore(SlotPlace wanted)
    {
        foreach (SlotPlace place in this)
        {
            if (place.IsAt(wanted))
                return false;
            if (place.Value.Word == wanted.Value.Word)
                return true;
        }
        return false;
    }

    /// <summary>Whether some slot points to an address.</summary>
    internal readonly bool HaveAddress(ulong address)
    {
        foreach (SlotPlace place in this)
        {
            if (place.Value.Address == address)
                return true;
        }
        return false;
    }
}
