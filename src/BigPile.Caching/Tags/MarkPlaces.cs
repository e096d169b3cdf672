using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tags;

/// <summary>The slots of an index that lead to the blocks of a table's marks, in an index that outlives the process.</summary>
/// <remarks>Thread safety: none; the owner has a lock.</remarks>
internal sealed unsafe class MarkPlaces(TableIndex index)
{
    private readonly Stack<SlotPlace> _free = new();

    /// <summary>Gives all slots that lead to a block; the others are free from here on.</summary>
    internal List<SlotPlace> Restore()
    {
        var taken = new List<SlotPlace>();
        _free.Clear();
        Bucket* last = null;
        foreach (Bucket* line in index.MarksLocked.Lines)
        {
            last = line;
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
            {
                var place = new SlotPlace(line, slot);
                if (place.Value.IsEmpty)
                    _free.Push(place);
                else
                    taken.Add(place);
            }
        }
        if (last->Next != 0)
            index.CutLocked(last); // if marks were behind it, their number tells
        return taken;
    }

    /// <summary>Takes a free slot.</summary>
    /// <exception cref="PileFullException">The disk is full.</exception>
    internal SlotPlace Take()
    {
        if (_free.Count == 0)
        {
            Bucket* line = index.AddLineLocked(index.MarksLocked);
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
                _free.Push(new SlotPlace(line, slot));
        }
        return _free.Pop();
    }

    /// <summary>Gives back a slot that leads nowhere.</summary>
    internal void Return(SlotPlace place)
    {
        Debug.Assert(place.Value.IsEmpty, "A slot that is free leads nowhere.");
        _free.Push(place);
    }
}
