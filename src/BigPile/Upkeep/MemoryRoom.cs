using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Upkeep;

/// <summary>Of a pile in memory: what was freed is free at once, but for what a trim is about to give back.</summary>
internal sealed class MemoryRoom(Allocator allocator, Trimmer trimmer) : RoomMaker
{
    internal override bool CanMakeRoom(ThreadPresence presence, PileFullException full, int flushes)
    {
        Debug.Assert(presence == ThreadPresence.Mine && presence.IsInside, "Asked by the thread that failed, before it leaves.");
        return flushes < MostFlushesForRoom && !presence.IsNested && full.LookedAt is { } look && allocator.GivingBack.MayHaveMissed(look);
    }

    internal override int MakeRoom(int flushes)
    {
        Debug.Assert(!ThreadPresence.Mine.IsInside, "Whoever gives room back waits until this thread has left.");
        allocator.WaitForRoom();
        return flushes + 1;
    }

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void GiveBackQuietly() => trimmer.TrimQuietly();
}
