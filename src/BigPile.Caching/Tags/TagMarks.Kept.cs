using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Concurrency;

namespace BigPile.Caching.Tags;

/// <summary>The list of tag marks in an index that outlives the process. Other indexes have none.</summary>
internal sealed unsafe partial class TagMarks
{
    private readonly IntentLog? _intents = index.Storage.Intents;
    private readonly MarkPlaces? _places = index.Storage.OutlivesProcess ? new MarkPlaces(index) : null;

    /// <summary>
    /// Restores the marks of an earlier process from the list. The table is not in use yet; the caller is in a critical region.
    /// </summary>
    /// <returns><see langword="false"/> when a mark is missing, so that entries which it removed would reappear.</returns>
    internal bool TryRestore()
    {
        if (_places == null)
            return true;
        lock (_lock)
        {
            List<SlotPlace> taken = _places.Restore();
            foreach (SlotPlace place in taken)
            {
                if (!place.Value.IsOfMark || !TryViewMarkLocked(place.Value.Address, out EntryHead head))
                    return false;
                Remember(TagOf(head), new TagMark(head.Version, place.Value.Address, place));
            }
            return taken.Count == index.Head->MarkCount;
        }
    }

    private bool IsMarkLocked(ulong address, ulong version) => TryViewMarkLocked(address, out EntryHead head) && head.Version == version;

    private bool TryViewMarkLocked(ulong address, out EntryHead head)
    {
        BlockSnapshot view = heap.View(address);
        bool isWhole = !view.IsNone && view.PayloadBytes >= EntryHead.ShortBytes;
        head = isWhole ? new EntryHead(view.Payload) : default;
        return isWhole && head.Kind == ValueKind.TagMark && head.TableId == tableId && head.FitsIn(view.PayloadBytes);
    }

    private static ulong TagOf(in EntryHead head) => head.KeyBytes == sizeof(ulong) ? *(ulong*)head.Key : AllTag;

    private SlotPlace TakePlaceLocked(out PileException? failure)
    {
        failure = null;
        return _places?.Take(out failure) ?? default;
    }

    private void ReturnLocked(SlotPlace place)
    {
        place.Store(default);
        index.Head->CountMarks(index.Head->MarkCount - 1);
        _places!.Return(place);
    }

    private void Lead(SlotPlace place, ulong address)
    {
        if (place.Line == null)
            return;
        bool isNew = place.Value.IsEmpty;
        place.Store(IndexSlot.OfMark(address));
        if (isNew)
            index.Head->CountMarks(index.Head->MarkCount + 1);
    }

    private void ForgetLocked(TagMark mark)
    {
        Intent* intent = _intents == null ? null : _intents.BeginTagMark(PileRegions.Current, tableId, 0, mark.Address, mark.Version);
        if (_places != null)
            ReturnLocked(mark.Place);
        heap.Free(mark.Address);
        if (intent != null)
            _intents!.End(intent);
    }
}
