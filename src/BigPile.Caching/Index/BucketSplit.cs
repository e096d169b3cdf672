using BigPile.Layout;

namespace BigPile.Caching.Index;

/// <summary>Moves those entries of a bucket whose hash has one more bit set to the bucket that was born for them.</summary>
/// <remarks>
/// Order: copies in the new bucket, which nobody finds yet; level of the old one raised; what was moved cleared there, and what is left
/// in overflow lines brought forward. Between, a key may be in both: a writer waits for the locks, and a reader that comes upon the
/// older copy reads the same block. If the copies can't all be placed, nothing has changed.
/// </remarks>
internal readonly unsafe struct BucketSplit(TableIndex index, int level)
{
    internal void Run(Bucket* old, Bucket* born)
    {
        CopyMoved(old, born);
        old->BeginMoveLocked();
        ClearMoved(old);
        BringForward(old);
        FreeEmptyTail(old);
        old->EndMoveLocked();
    }

    private bool IsMoved(IndexSlot slot) =>
        (slot.Word >> (BlockAddress.Bits + level - IndexSlot.BucketHashBits) & 1) != 0;

    private void CopyMoved(Bucket* old, Bucket* born)
    {
        for (Bucket* line = old; line != null; line = index.Next(line))
        {
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
            {
                IndexSlot value = Bucket.Load(line, slot);
                if (value.IsEmpty || !IsMoved(value))
                    continue;
                Bucket* target = index.FindRoomLocked(born, int.MaxValue, out int room);
                Move(line, slot, target, room, value);
            }
        }
    }

    private static void Move(Bucket* from, int slot, Bucket* to, int room, IndexSlot value)
    {
        to->SetFrequency(room, from->Frequency(slot));
        to->SetInMain(room, from->IsInMain(slot));
        if (from->MayExpire)
            to->MarkExpiry();
        Bucket.Store(to, room, value);
    }

    private void ClearMoved(Bucket* old)
    {
        for (Bucket* line = old; line != null; line = index.Next(line))
        {
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
            {
                IndexSlot value = Bucket.Load(line, slot);
                if (!value.IsEmpty && IsMoved(value))
                    Bucket.Store(line, slot, default);
            }
        }
    }

    private void BringForward(Bucket* old)
    {
        for (Bucket* line = index.Next(old); line != null; line = index.Next(line))
        {
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
            {
                IndexSlot value = Bucket.Load(line, slot);
                int room = value.IsEmpty ? -1 : Bucket.FindEmptyLocked(old);
                if (room < 0)
                    continue;
                Move(line, slot, old, room, value);
                Bucket.Store(line, slot, default);
            }
        }
    }

    private void FreeEmptyTail(Bucket* old)
    {
        while (old->Next != 0)
        {
            Bucket* before = old;
            while (index.Next(index.Next(before)) != null) // the last line but one
                before = index.Next(before);
            uint last = before->Next;
            if (!Bucket.IsEmptyLocked(index.Overflow.At(last)))
                return;
            before->Next = 0;
            index.Overflow.Return(last);
        }
    }
}
