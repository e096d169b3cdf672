using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Upkeep;

/// <summary>Of a pile in memory: what was freed is free at once, but for what a trim is about to give back.</summary>
internal sealed class MemoryRoom(Allocator allocator, Trimmer trimmer) : RoomMaker(allocator.GivingBack)
{
    private protected override bool IsFlushWanted => false;

    private protected override bool TryWantRoomOfDisk() => false;

    internal override int MakeRoom(int flushes)
    {
        Debug.Assert(!CriticalRegion.Mine.IsInside, "Whoever gives room back waits until this thread has left.");
        allocator.WaitForRoom();
        return flushes + 1;
    }

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void GiveBackQuietly() => trimmer.TrimQuietly();
}
