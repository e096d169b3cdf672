using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tags;

/// <summary>Allocates slots of the list of tag marks, in an index that outlives the process.</summary>
/// <remarks>Thread safety: none; the owner has a lock.</remarks>
internal sealed unsafe class MarkPlaces(TableIndex index)
{
    private readonly Stack<SlotPlace> _free = new();

    /// <summary>Returns all used slots of the list, and collects the empty ones as free.</summary>
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
            index.CutLocked(last); // damage: if marks are lost with it, the caller sees that their count does not match
        return taken;
    }

    /// <summary>Takes a free slot; adds a line if there is none.</summary>
    internal SlotPlace Take(out PileException? failure)
    {
        failure = null;
        if (_free.Count == 0)
        {
            Bucket* line = index.AddLineLocked(index.MarksLocked, out failure);
            if (failure != null)
                return default;
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
                _free.Push(new SlotPlace(line, slot));
        }
        return _free.Pop();
    }

    internal void Return(SlotPlace place)
    {
        Debug.Assert(place.Value.IsEmpty, "The slot is empty.");
        _free.Push(place);
    }
}
